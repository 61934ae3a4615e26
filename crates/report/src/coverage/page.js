const rows = [...document.querySelectorAll("#goals tbody tr")];
const boxes = [...document.querySelectorAll(".filters input[type=checkbox]")];
const search = document.querySelector(".filters input[type=search]");
const shown = document.querySelector("#shown");
function filter() {
  const chosen = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    const fits = chosen.has(row.dataset.status) && chosen.has(row.dataset.kind)
      && words.every((word) => text.includes(word));
    row.hidden = !fits;
    count += fits ? 1 : 0;
  }
  shown.textContent = count + " of " + rows.length;
}
for (const box of boxes) box.addEventListener("change", filter);
search.addEventListener("input", filter);
filter();
