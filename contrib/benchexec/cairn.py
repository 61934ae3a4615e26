"""BenchExec tool-info module for Cairn.

Copy or link this file into the package ``benchexec.tools`` or name it with its
full module name in the benchmark definition (``tool="contrib.benchexec.cairn"``).
"""

import re

import benchexec.result as result
import benchexec.tools.template

# The last line of "cairn check".
VERDICT = re.compile(r"^verdict: (safe|unsafe|unknown)(?: \((.*)\))?$")

# "file.c:3:5: violation of overflow"
VIOLATION = re.compile(r": violation of (\w+)$")

# What BenchExec calls a violation of our properties.
FALSE = {
    "reach": result.RESULT_FALSE_REACH,
    "assert": result.RESULT_FALSE_REACH,
    "overflow": result.RESULT_FALSE_OVERFLOW,
    "bounds": result.RESULT_FALSE_DEREF,
    "pointer": result.RESULT_FALSE_DEREF,
}


class Tool(benchexec.tools.template.BaseTool2):
    """Cairn: proves programs and circuits safe lemma by lemma, or shows a run that fails."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("cairn", subdir="target/release")

    def name(self):
        return "Cairn"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="cairn")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "check", *options]
        if task.property_file:
            command += ["--property", task.property_file]
        if isinstance(task.options, dict):
            model = task.options.get("data_model")
            if model:
                command += ["--data-model", model]
        limit = rlimits.cputime or rlimits.walltime
        if limit and "--time-limit" not in options:
            command += ["--time-limit", str(limit)]
        if rlimits.memory and "--memory-limit" not in options:
            # Cairn counts in megabytes, and needs some room to give up in order.
            command += ["--memory-limit", str(int(rlimits.memory / 1_000_000 * 0.9))]
        return [*command, *task.input_files_or_identifier]

    def determine_result(self, run):
        violated = None
        for line in reversed(run.output):
            line = line.rstrip("\n")
            violation = VIOLATION.search(line)
            if violation and violated is None:
                violated = violation.group(1)
        verdict = None
        for line in reversed(run.output):
            verdict = VERDICT.match(line.rstrip("\n"))
            if verdict:
                break
        if verdict is None:
            codes = {1: "usage", 2: "input rejected", 6: "internal error"}
            return result.RESULT_ERROR + f" ({codes.get(run.exit_code.value, 'no verdict')})"
        kind, reason = verdict.groups()
        if kind == "safe":
            return result.RESULT_TRUE_PROP
        if kind == "unsafe":
            return FALSE.get(violated, result.RESULT_FALSE_PROP)
        if reason and "time limit" in reason:
            return result.RESULT_TIMEOUT
        return result.RESULT_UNKNOWN

    def get_value_from_output(self, output, identifier):
        # Statistics are lines "name: value"; the identifier is the name.
        prefix = identifier + ":"
        for line in reversed(list(output)):
            if line.startswith(prefix):
                return line[len(prefix):].strip()
        return None
