// Opens reports in Chromium, without a window: no error and no request, sorting, filtering, choosing, the keyboard, axe-core,
// two widths, both colour schemes, text of the data that looks like markup.
//
//   node report.mjs HODGELET [FOLDER]     the command, and a folder for screenshots
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [program, shots] = process.argv.slice(2);
assert.ok(program, "usage: node report.mjs HODGELET [FOLDER]");
if (shots) mkdirSync(shots, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "hodgelet-browser-"));
const axe = readFileSync(join(fileURLToPath(new URL(".", import.meta.url)), "node_modules/axe-core/axe.min.js"), "utf8");
const run = (...args) => execFileSync(program, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });

// Names, classes and labels that try to leave their place.
const HOSTILE = "<script>window.hacked=1</script><img src=x onerror=window.hacked=2>\"'&";
function hostileDataset() {
  const lines = [JSON.stringify({ hodgelet: 1, name: HOSTILE, target: "class", columns: [{ name: "atom", dim: 0, kind: "labels" }] })];
  for (let i = 0; i < 60; i += 1) {
    const n = 5 + (i % 4), ring = i % 2 === 0;
    const edges = Array.from({ length: n - 1 }, (_, v) => [v, v + 1]);
    if (ring) edges.push([0, n - 1]);
    const target = (i % 11 === 0 ? !ring : ring) ? HOSTILE : "path";
    const labels = Array.from({ length: n }, (_, v) => (v % 3 ? "C" : "<b>N</b>"));
    lines.push(JSON.stringify({ id: `${HOSTILE} ${i}`, vertices: n, edges, target, signals: { 0: { atom: labels } } }));
  }
  writeFileSync(join(folder, "hostile.jsonl"), lines.join("\n") + "\n");
}

hostileDataset();
run("evaluate", "hostile.jsonl", "--folds", "3", "--hyperparameters", "map", "--report", "hostile.html", "--quiet");
run("fit", "vector-fields", "--set", "n_fields=40", "--set", "n_vertices=40", "--hyperparameters", "map", "--out", "flow.hodgelet", "--quiet");
run("report", "flow.hodgelet", "vector-fields", "--set", "n_fields=30", "--set", "n_vertices=40", "--seed", "1", "--out", "flow.html", "--quiet");

// Two targets in one page, the second with gaps.
function severalTargets() {
  const smiles = ["CCO", "CCC", "c1ccccc1", "CC(=O)O", "CCN", "CCCC", "c1ccncc1", "CC(C)O", "OCCO", "CCS"];
  const row = (i) => `${smiles[i % 10]}${"C".repeat(i / 10)},${i % 2},${i % 5 ? i % 7 : ""}`;
  writeFileSync(join(folder, "several.csv"), ["smiles,<b>toxic</b>,size", ...Array.from({ length: 40 }, (_, i) => row(i))].join("\n") + "\n");
}
severalTargets();
run("evaluate", "several.csv", "--target", "<b>toxic</b>,size", "--folds", "3", "--iterations", "5", "--report", "several.html", "--quiet");

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
let checks = 0;
const check = (condition, words) => {
  checks += 1;
  assert.ok(condition, words);
};

async function open(file, width, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage(), said = [], asked = [];
  page.on("console", (message) => message.type() === "error" && said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("request", (request) => asked.push(request.url()));
  const began = Date.now();
  await page.goto(pathToFileURL(join(folder, file)).href, { waitUntil: "load" });
  await page.waitForFunction(() => [...document.querySelectorAll("[id$=status]")].every((e) => e.textContent !== ""));
  check(Date.now() - began < 2000, `${file} answers within 2 s, took ${Date.now() - began} ms`);
  return { context, page, said, asked };
}

async function common(file, width, colorScheme) {
  const { context, page, said, asked } = await open(file, width, colorScheme);
  const what = `${file} at ${width} px, ${colorScheme}`;
  check(asked.length === 1, `${what}: requests ${asked}`);
  check((await page.evaluate(() => window.hacked)) === undefined, `${what}: text of the data ran as script`);
  check((await page.locator("main img, main b").count()) === 0, `${what}: text of the data became elements`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  check(wide <= width, `${what}: the page is ${wide} px wide`);
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const faults = found.violations.map((v) => `${v.id}: ${v.help} (${v.nodes.slice(0, 2).map((n) => n.html.slice(0, 90))})`);
  check(faults.length === 0, `${what}: ${faults.join("\n")}`);
  if (shots) await page.screenshot({ path: join(shots, `${file}-${width}-${colorScheme}.png`), fullPage: true });
  check(said.length === 0, `${what}: console says ${said}`);
  await context.close();
}

async function interaction(file) {
  const { context, page, said } = await open(file, 1440, "light");
  const column = (k) => page.locator(`#table-body tr td:nth-child(${k})`).allTextContents();
  const button = page.locator('#table th[data-key="distance"] button');
  await button.click();
  const down = (await column(6)).map(Number);
  check(down.every((v, i) => i === 0 || v <= down[i - 1]), `${file}: sorted downward: ${down.slice(0, 5)}`);
  check((await page.locator('#table th[data-key="distance"]').getAttribute("aria-sort")) === "descending", "the order is said");
  await button.press("Enter");
  const up = (await column(6)).map(Number);
  check(up.every((v, i) => i === 0 || v >= up[i - 1]), `${file}: sorted upward by the keyboard`);
  const all = await page.locator("#status").textContent();
  await page.locator("#kind").selectOption("wrong");
  const wrong = await column(2), said_ = await column(3);
  check(wrong.length > 0 && wrong.every((truth, i) => truth !== said_[i]), `${file}: only wrong ones are shown`);
  await page.locator("#kind").selectOption("drawn");
  await page.locator("#search").fill("no graph has this name");
  check((await page.locator("#status").textContent()).endsWith("of 0"), "nothing is found");
  await page.locator("#search").fill("");
  check((await page.locator("#status").textContent()) !== all, "the filter counts");
  const pick = page.locator("#table-body button").nth(2);
  await pick.focus();
  await page.keyboard.press("Enter");
  check((await page.locator(".view:visible").count()) === 1, "one graph is shown");
  const focused = await page.evaluate(() => document.activeElement.id);
  check(focused === (await page.locator(".view:visible").getAttribute("id")), "the focus is on it");
  check((await page.locator(".view:visible svg").count()) >= 3, "it has its pictures");
  for (const row of await page.locator("#table-body tr").all()) {
    const sure = await row.locator("td").nth(3).textContent();
    await row.locator("button").click();
    const beside = await page.locator(".view:visible dl").textContent();
    check(beside.includes(`probability ${sure}`), `${file}: ${sure} in the table, and beside the graph ${beside}`);
  }
  await page.locator("#choice").focus();
  await page.keyboard.press("ArrowDown");
  check((await page.locator(".view:visible").getAttribute("id")) !== focused, "the keyboard chooses another");
  check(said.length === 0, `${file}: console says ${said}`);
  await context.close();
}

// The report of one target is shown, and the keyboard chooses another.
async function targets(file) {
  const { context, page, said } = await open(file, 1440, "light");
  check((await page.locator(".target:visible").getAttribute("id")) === "t0-target", "the first target is shown");
  await page.locator("#target").focus();
  await page.keyboard.press("ArrowDown");
  check((await page.locator(".target:visible").getAttribute("id")) === "t1-target", "the keyboard chooses the second");
  await page.locator('#t1-table th[data-key="distance"] button').click();
  const sorted = page.locator('#t1-table th[data-key="distance"]');
  check((await sorted.getAttribute("aria-sort")) === "descending", "its table sorts");
  check((await page.locator('#t0-table th[aria-sort]').count()) === 0, "and the other does not");
  check(said.length === 0, `${file}: console says ${said}`);
  await context.close();
}

// On paper: nothing is wider than the page, and what is folded on a screen is there.
async function print(file) {
  const { context, page } = await open(file, 718, "light");
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  const wide = await page.evaluate(() => Math.max(...[...document.querySelectorAll("figure, dl, p")].map((e) => e.getBoundingClientRect().right)));
  check(wide <= 718, `${file}: printed, something ends at ${wide} of 718`);
  check(await page.locator("details.card p").first().isVisible(), `${file}: the card is printed`);
  check(!(await page.locator("#main .controls").first().isVisible()), `${file}: controls are not printed`);
  if (shots) await page.pdf({ path: join(shots, `${file}.pdf`), format: "A4" });
  await context.close();
}

try {
  for (const [width, scheme] of [[1440, "light"], [390, "dark"]]) await common("several.html", width, scheme);
  await targets("several.html");
  for (const file of ["hostile.html", "flow.html"]) {
    await print(file);
    check(readFileSync(join(folder, file)).length <= 2_000_000, `${file} is at most 2 MB`);
    for (const [width, scheme] of [[1440, "light"], [390, "light"], [390, "dark"], [1440, "dark"]]) await common(file, width, scheme);
    await interaction(file);
  }
  console.log(`${checks} passed in a browser`);
} finally {
  await browser.close();
}
