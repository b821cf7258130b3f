// Opens HTML reports from disk in Chromium, as a reader does, and checks what only a browser can
// tell: that nothing is asked of a network, that no error or refusal of the policy is logged, that
// axe finds nothing, that the page never scrolls sideways, that all figures are there without
// scripts, and that what the script adds works.
//
//     node check.mjs OUT-DIR FILE.html...
//
// CHROMIUM names the browser, /usr/bin/chromium by default. OUT-DIR gets pictures of the files
// and PDFs of them. Exit code 1 when a check failed, 2 when it could not be run.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"];
const flags = [
	"--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync",
];

// How a page is looked at: a size of the window, a theme, and colours that a reader forces.
const looks = {
	light: { colorScheme: "light", width: 1280 },
	wide: { colorScheme: "light", width: 1720 },
	narrow: { colorScheme: "light", width: 360 },
	forced: { colorScheme: "dark", width: 1280, forcedColors: "active" },
	dark: { colorScheme: "dark", width: 1280 },
};

// The first file is checked in full. What the others may have that it does not is of their
// structure, and that something in them is too wide: they are looked at in two ways.
const others = ["light", "narrow"];

const [out, ...files] = process.argv.slice(2);
if (!out || files.length === 0) {
	console.error("usage: node check.mjs OUT-DIR FILE.html...");
	process.exit(2);
}
mkdirSync(out, { recursive: true });

let failures = 0;
function check(ok, what) {
	if (!ok) {
		failures++;
		console.error(`  FAIL ${what}`);
	}
}

// open loads a file in a context of its own and collects what goes wrong in it.
async function open(browser, url, options) {
	const context = await browser.newContext({ offline: true, reducedMotion: "reduce", ...options });
	const wrong = [];
	await context.route("**/*", (route) => {
		if (route.request().url().split("#")[0] === url.split("#")[0]) return route.continue();
		wrong.push(`asks for ${route.request().url()}`);
		return route.abort();
	});
	const page = await context.newPage();
	page.on("console", (m) => {
		if (m.type() === "error" || m.type() === "warning") wrong.push(`logs: ${m.text()}`);
	});
	page.on("pageerror", (e) => wrong.push(`throws: ${e.message}`));
	page.on("request", (r) => {
		if (!r.url().startsWith("file:")) wrong.push(`asks for ${r.url()}`);
	});
	if (options.javaScriptEnabled !== false) {
		await page.addInitScript(() => {
			window.refusals = [];
			document.addEventListener("securitypolicyviolation", (e) => window.refusals.push(`${e.violatedDirective} ${e.blockedURI}`));
		});
	}
	await page.goto(url, { waitUntil: "load" });
	return { context, page, wrong };
}

const unfold = (page) => page.evaluate(() => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
const fold = (page) => page.evaluate(() => document.querySelectorAll("details").forEach((d) => { d.open = false; }));

// The looks of which there are pictures, for people.
const pictured = ["light", "narrow", "dark"];

const picture = (page, name, label) => page.screenshot({ path: join(out, `${name}.${label}.jpg`), type: "jpeg", quality: 80, fullPage: true });

// cells returns the texts of all cells by table.
const cells = (page) => page.evaluate(() => Object.fromEntries([...document.querySelectorAll("table")].map((t) =>
	[t.id, [...t.querySelectorAll("th,td")].map((c) => c.textContent.trim())])));

// look shows a page in each look, and returns the texts of its tables.
async function look(browser, url, name, labels) {
	const { context, page, wrong } = await open(browser, url, { colorScheme: "light", viewport: { width: looks.light.width, height: 900 } });
	const texts = await cells(page);
	await page.evaluate(axe);
	for (const label of labels) {
		const { colorScheme, width, forcedColors = "none" } = looks[label];
		await page.emulateMedia({ colorScheme, forcedColors, reducedMotion: "reduce" });
		await page.setViewportSize({ width, height: 900 });
		if (pictured.includes(label) && (labels !== others || label === "light")) await picture(page, name, label);
		if (others.includes(label)) await unfold(page);
		const widths = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
		check(widths[0] <= widths[1], `${label}: the page is ${widths[0]} px wide where ${widths[1]} are there`);
		if (label === "light") await accessibility(page, label, structure);
		if (label === "light" || label === "dark") await accessibility(page, label, contrast);
		await fold(page);
	}
	if (labels !== others) await onPaper(page, name);
	wrong.push(...await page.evaluate(() => window.refusals));
	check(wrong.length === 0, `looks: ${wrong.join("; ")}`);
	await context.close();
	return texts;
}

// What axe is asked: once about the structure, and in each theme about contrast. Of texts over
// drawings it cannot tell the contrast; tests of the drawings do, with their colours. Marks of a
// drawing are alike, and so are rows of a table, of which a few stand for all.
const alike = ["svg > *", "tbody tr:nth-child(n+5)"];
const structure = { exclude: alike, options: { runOnly: rules, rules: { "color-contrast": { enabled: false } } } };
const contrast = { exclude: alike, options: { runOnly: { type: "rule", values: ["color-contrast"] } } };

async function accessibility(page, label, { exclude, options }) {
	const found = await page.evaluate(([exclude, options]) => window.axe.run({ include: [["html"]], exclude }, options),
		[exclude, { ...options, resultTypes: ["violations", "incomplete"], selectors: false }]);
	for (const v of found.violations) {
		check(false, `${label}: axe ${v.id} (${v.impact}): ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")} (${v.nodes.length})`);
	}
	const unsure = found.incomplete.map((v) => `${v.id} (${v.nodes.length}): ${v.nodes[0].html.slice(0, 100)}`).join(", ");
	console.log(`  ${label}: axe passes ${found.passes.length} rules, fails ${found.violations.length}${unsure ? `, leaves to people: ${unsure}` : ""}`);
}

// withoutScripts compares what is there with scripts to what is seen without.
async function withoutScripts(browser, url, withScripts) {
	const { context, page, wrong } = await open(browser, url, { viewport: { width: looks.light.width, height: 900 }, javaScriptEnabled: false });
	const without = await cells(page);
	const seen = await page.evaluate(() => document.body.innerText);
	const words = new Set(seen.split(/\s+/));
	let numbers = 0;
	check(Object.keys(without).length === Object.keys(withScripts).length, "no scripts: other tables are there");
	for (const [id, texts] of Object.entries(withScripts)) {
		check(JSON.stringify(texts) === JSON.stringify(without[id]), `no scripts: table ${id} has other cells`);
		for (const word of texts.flatMap((t) => t.split(/\s+/)).filter((w) => /[0-9]/.test(w))) {
			numbers++;
			check(words.has(word), `no scripts: ${word} of table ${id} is not seen`);
		}
	}
	const controls = await page.locator("button,input,select").count();
	check(controls === 0, `no scripts: ${controls} controls that do nothing`);
	check(await page.locator("details:not([open])").count() === 0, "no scripts: folded details");
	check(wrong.length === 0, `no scripts: ${wrong.join("; ")}`);
	console.log(`  no scripts: all ${numbers} numbers of ${Object.keys(without).length} tables are seen`);
	await context.close();
}

// onPaper looks at the page as it is printed by somebody who uses the dark theme.
async function onPaper(page, name) {
	await page.setViewportSize({ width: 794, height: 1123 });
	await page.emulateMedia({ media: "print", colorScheme: "dark", forcedColors: "none" });
	const paper = await page.evaluate(() => ({
		ground: getComputedStyle(document.body).backgroundColor,
		controls: [...document.querySelectorAll("button:not(th button),input,.skip,.here")].filter((e) => e.checkVisibility()).length,
		folded: [...document.querySelectorAll("main details > :not(summary)")].filter((e) => !e.checkVisibility({ contentVisibilityAuto: true })).length,
		heads: [...document.querySelectorAll("thead")].every((h) => getComputedStyle(h).display === "table-header-group"),
		torn: [...document.querySelectorAll("figure")].every((f) => getComputedStyle(f).breakInside === "avoid"),
	}));
	check(paper.ground === "rgb(255, 255, 255)", `print: the ground is ${paper.ground}`);
	check(paper.controls === 0, `print: ${paper.controls} controls are on paper`);
	check(paper.folded === 0, `print: ${paper.folded} parts are folded`);
	check(paper.heads, "print: heads of tables are not repeated");
	check(paper.torn, "print: charts may be torn");
	await page.pdf({ path: join(out, `${name}.pdf`), format: "A4", printBackground: true, preferCSSPageSize: true });
}

// scripts tries what the script adds.
async function scripts(browser, url) {
	const { context, page, wrong } = await open(browser, url, { colorScheme: "light", viewport: { width: looks.light.width, height: 900 } });
	await page.keyboard.press("Tab");
	check(await page.evaluate(() => document.activeElement.className) === "skip", "keys: the first stop is not the skip link");

	check(await page.locator("main details[open]").count() === 0, "fold: details are open");
	const folded = page.locator("section:has(> details)").first();
	if (await folded.count() > 0) {
		const id = await folded.getAttribute("id");
		await page.evaluate((hash) => { location.hash = hash; }, id);
		await page.waitForFunction((id) => document.getElementById(id).querySelector("details").open, id, { timeout: 2000 })
			.catch(() => check(false, `fold: a link to ${id} does not open it`));
	}

	const theme = page.locator("button.theme");
	await theme.click();
	await theme.click();
	check(await page.evaluate(() => document.documentElement.dataset.theme) === "dark", "theme: dark was not set");
	const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	check(await ground() === "rgb(21, 24, 28)", `theme: dark has the ground ${await ground()}`);
	await page.reload();
	check(await page.evaluate(() => document.documentElement.dataset.theme) === "dark", "theme: dark is forgotten");
	await page.locator("button.theme").click();
	check(await page.evaluate(() => document.documentElement.dataset.theme) === undefined, "theme: auto was not set");
	await unfold(page);

	const sorts = await page.evaluate(() => {
		const wrong = [];
		const tables = [...document.querySelectorAll("table")].filter((t) => t.querySelector("th.n button"));
		for (const table of tables) {
			const head = table.querySelector("thead th.n");
			const order = () => [...table.tBodies[0].rows].map((r) => r.textContent);
			const written = order();
			for (const want of ["descending", "ascending", null]) {
				head.querySelector("button").click();
				if (head.getAttribute("aria-sort") !== want) wrong.push(`${table.id} is not ${want}`);
				const now = order();
				if (String([...now].sort()) !== String([...written].sort())) wrong.push(`${table.id} lost rows`);
				if (want === null && String(now) !== String(written)) wrong.push(`${table.id} is not as it was written`);
			}
		}
		return { wrong, tables: tables.length };
	});
	for (const text of sorts.wrong) check(false, `sort: ${text}`);

	const box = page.locator("div.table:has(.filter)").first();
	if (await box.count() > 0) {
		const rows = box.locator("tbody tr:visible");
		const before = await rows.count();
		const wanted = (await rows.last().textContent()).trim();
		await box.locator(".filter input").fill(wanted);
		const after = await rows.count();
		check(after >= 1 && after < before, `filter: ${after} of ${before} rows have ${wanted}`);
		await box.locator(".filter input").fill("");
		check(await rows.count() === before, "filter: not all rows came back");
	}

	await context.grantPermissions(["clipboard-read", "clipboard-write"]);
	const copy = page.locator(".tools button").first();
	if (await copy.count() > 0) {
		await copy.click();
		const copied = await page.evaluate(() => navigator.clipboard.readText());
		const [columns, lines] = await page.locator("div.table").first().evaluate((b) => [b.querySelectorAll("thead tr > *").length, b.querySelectorAll("tr").length]);
		check(copied.trimEnd().split("\n").length === lines, `copy: ${copied.trimEnd().split("\n").length} lines of ${lines}`);
		check(copied.split("\n")[0].split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).length === columns, "copy: the head has other columns");
	}

	const document_ = await page.evaluate(() => JSON.parse(window.document.getElementById("document").textContent).schema);
	check(document_ === "tailpath.document", `the document inside is a ${document_}`);
	wrong.push(...await page.evaluate(() => window.refusals));
	check(wrong.length === 0, `scripts: ${wrong.join("; ")}`);
	console.log(`  scripts: ${sorts.tables} tables sorted`);
	await context.close();
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: flags }).catch((e) => {
	console.error(`the browser does not start: ${e.message}`);
	process.exit(2);
});
try {
	console.log(`Chromium ${browser.version()}`);
	for (const file of files) {
		const url = pathToFileURL(resolve(file)).href;
		const name = basename(file).replace(/\.html?$/, "");
		console.log(name);
		if (file !== files[0]) {
			await look(browser, url, name, others);
			continue;
		}
		await withoutScripts(browser, url, await look(browser, url, name, Object.keys(looks)));
		await scripts(browser, url);
	}
} finally {
	await browser.close();
}
console.log(failures === 0 ? "all checks passed" : `${failures} checks failed`);
process.exit(failures === 0 ? 0 : 1);
