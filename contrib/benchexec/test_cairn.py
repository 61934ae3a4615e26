"""Tests of the tool-info module; needs the package BenchExec (pip install benchexec).

python3 -m unittest contrib/benchexec/test_cairn.py
"""

import importlib.util
import pathlib
import unittest

import benchexec.result as result
from benchexec.tools.template import BaseTool2
from benchexec.util import ProcessExitCode

PATH = pathlib.Path(__file__).with_name("cairn.py")
SPEC = importlib.util.spec_from_file_location("cairn_tool", PATH)
MODULE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(MODULE)


def limits(**given):
    return BaseTool2.ResourceLimits(**given)


def task(options=None, property_file="p.prp"):
    return BaseTool2.Task.with_files(["a.c", "b.c"], property_file=property_file, options=options)


def run(lines, code=0):
    output = BaseTool2.RunOutput([line + "\n" for line in lines])
    exit_code = ProcessExitCode(raw=code << 8, value=code, signal=None)
    return BaseTool2.Run([], exit_code, output, None)


class ToolInfo(unittest.TestCase):
    def setUp(self):
        self.tool = MODULE.Tool()

    def test_command_line(self):
        options = {"data_model": "LP64", "language": "C"}
        command = self.tool.cmdline(
            "cairn", ["--quiet"], task(options), limits(cputime=60, memory=2_000_000_000)
        )
        self.assertEqual(command[:3], ["cairn", "check", "--quiet"])
        self.assertEqual(command[-2:], ["a.c", "b.c"])
        for pair in [
            ("--property", "p.prp"),
            ("--data-model", "LP64"),
            ("--time-limit", "60"),
            ("--memory-limit", "1800"),
        ]:
            self.assertIn(pair[0], command)
            self.assertEqual(command[command.index(pair[0]) + 1], pair[1])

    def test_results(self):
        determine = self.tool.determine_result
        self.assertEqual(determine(run(["verdict: safe"])), result.RESULT_TRUE_PROP)
        lines = ["a.c:3:1: violation of overflow", "verdict: unsafe"]
        self.assertEqual(determine(run(lines, 10)), result.RESULT_FALSE_OVERFLOW)
        lines = ["a.c:3:1: violation of reach", "verdict: unsafe"]
        self.assertEqual(determine(run(lines, 10)), result.RESULT_FALSE_REACH)
        unknown = run(["verdict: unknown (ic3: gave up)"], 5)
        self.assertEqual(determine(unknown), result.RESULT_UNKNOWN)
        self.assertEqual(
            determine(run(["verdict: unknown (time limit)"], 5)), result.RESULT_TIMEOUT
        )
        self.assertTrue(determine(run(["a.c:1:1: error"], 2)).startswith(result.RESULT_ERROR))


if __name__ == "__main__":
    unittest.main()
