// Makes a page handier where scripts run. Nothing on it depends on this: all is there and open
// without it, and every control is made here.
"use strict";
(function () {
	var root = document.documentElement;
	var themes = ["auto", "light", "dark"];

	// A page from disk may be refused a store; then the theme lasts as long as the page.
	function stored(value) {
		try {
			if (value === undefined) return localStorage.getItem("tailpath-theme");
			localStorage.setItem("tailpath-theme", value);
		} catch (refused) { /* goes on without */ }
		return null;
	}

	function setTheme(theme) {
		if (theme === "light" || theme === "dark") root.setAttribute("data-theme", theme);
		else root.removeAttribute("data-theme");
	}

	var theme = stored();
	if (themes.indexOf(theme) < 0) theme = "auto";
	setTheme(theme);

	function make(tag, properties, text) {
		var e = document.createElement(tag);
		Object.keys(properties || {}).forEach(function (name) { e.setAttribute(name, properties[name]); });
		if (text !== undefined) e.textContent = text;
		return e;
	}

	function all(selector, within) {
		return Array.prototype.slice.call((within || document).querySelectorAll(selector));
	}

	// What happened is said to those who do not see it.
	var told;
	function tell(text) { told.textContent = text; }

	function copy(text, done) {
		function byHand() {
			var box = make("textarea", { "class": "hidden", "aria-hidden": "true" });
			box.value = text;
			document.body.appendChild(box);
			box.select();
			var ok = false;
			try { ok = document.execCommand("copy"); } catch (refused) { /* not ok */ }
			box.remove();
			done(ok);
		}
		if (navigator.clipboard && navigator.clipboard.writeText) {
			navigator.clipboard.writeText(text).then(function () { done(true); }, byHand);
		} else {
			byHand();
		}
	}

	// A button that copies says on itself whether it did.
	function copier(label, what, text) {
		var button = make("button", { type: "button", "aria-label": label + ": " + what }, label);
		button.addEventListener("click", function () {
			copy(text(), function (ok) {
				button.textContent = ok ? "Copied" : "Could not copy";
				tell(button.textContent + ": " + what);
				setTimeout(function () { button.textContent = label; }, 2000);
				button.focus();
			});
		});
		return button;
	}

	function themeButton() {
		var button = make("button", { type: "button", "class": "theme" });
		function show() { button.textContent = "Theme: " + theme; }
		button.addEventListener("click", function () {
			theme = themes[(themes.indexOf(theme) + 1) % themes.length];
			stored(theme);
			setTheme(theme);
			show();
		});
		show();
		document.querySelector("header.top").appendChild(button);
	}

	// The text of a cell, without the marks of footnotes and what sorting put into it.
	function cellText(cell) {
		var c = cell.cloneNode(true);
		all("a.mark", c).forEach(function (a) { a.remove(); });
		return c.textContent.trim();
	}

	// A number as it is written here: "1,983", "<1", "-0.5", "2.07-2.14" by its start. null for words.
	function numberOf(text) {
		var m = /^[<>~≈±]?\s*([-−+]?)<?([0-9][0-9,]*(\.[0-9]+)?)/.exec(text);
		if (!m) return null;
		var v = parseFloat(m[2].replace(/,/g, ""));
		return m[1] === "-" || m[1] === "−" ? -v : v;
	}

	// A spreadsheet would run a text that begins like a formula; numbers may begin so.
	function csvCell(text) {
		if (/^-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$/.test(text)) text = text.replace(/,/g, "");
		if (/^[=+\-@\t\r]/.test(text) && !/^[-+]?<?[0-9.,]+([-–][0-9.,]+)?\s*%?$/.test(text)) text = "'" + text;
		return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
	}

	function csv(table) {
		return all("tr", table).filter(function (row) { return !row.hidden; }).map(function (row) {
			return all("th,td", row).map(function (cell) { return csvCell(cellText(cell)); }).join(",");
		}).join("\n") + "\n";
	}

	// Rows that stand below another, such as the details of a stage, stay with it.
	function groups(body) {
		var out = [];
		all("tr", body).forEach(function (row) {
			var below = /(^| )in[1-9]( |$)/.test(row.cells[0].className);
			if (below && out.length) out[out.length - 1].push(row);
			else out.push([row]);
		});
		return out;
	}

	function compare(a, b) {
		if (a === b) return 0;
		if (typeof a === "number" && typeof b === "number") return a - b;
		return String(a).localeCompare(String(b), "en", { numeric: true });
	}

	function sortable(table) {
		var body = table.tBodies[0];
		if (body.rows.length < 3) return;
		var written = groups(body);
		var heads = all("thead th,thead td", table);
		heads.forEach(function (head, column) {
			if (head.tagName !== "TH") return;
			var numbers = head.classList.contains("n");
			var button = make("button", { type: "button" });
			var marks = [];
			Array.prototype.slice.call(head.childNodes).forEach(function (node) {
				if (node.nodeType === 1 && node.matches("a.mark")) marks.push(node);
				else button.appendChild(node);
			});
			head.appendChild(button);
			marks.forEach(function (mark) { head.appendChild(mark); });
			button.addEventListener("click", function () {
				var before = head.getAttribute("aria-sort");
				// Numbers are looked at from the largest on; a third press gives the order back.
				var first = numbers ? "descending" : "ascending", second = numbers ? "ascending" : "descending";
				var order = !before ? first : before === first ? second : null;
				heads.forEach(function (h) { h.removeAttribute("aria-sort"); });
				var sorted = written.slice();
				if (order) {
					head.setAttribute("aria-sort", order);
					var keyed = sorted.map(function (group) {
						var text = group[0].cells[column] ? cellText(group[0].cells[column]) : "";
						return { group: group, key: numbers ? numberOf(text) : text || null };
					});
					keyed.sort(function (a, b) { // what has no value comes last either way
						if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
						return order === "ascending" ? compare(a.key, b.key) : compare(b.key, a.key);
					});
					sorted = keyed.map(function (k) { return k.group; });
				}
				sorted.forEach(function (group) { group.forEach(function (row) { body.appendChild(row); }); });
				tell(order ? "Sorted by " + button.textContent.trim() + ", " + order : "In the order of the document");
			});
		});
	}

	var filterFrom = 16; // rows; fewer are seen at a glance
	function filter(table, tools, name) {
		var rows = all("tr", table.tBodies[0]);
		if (rows.length < filterFrom) return;
		var label = make("label", { "class": "filter" }, "Rows with");
		var input = make("input", { type: "search", "aria-label": "Show rows with this text: " + name });
		var count = make("span", {}, rows.length + " rows");
		input.addEventListener("input", function () {
			var wanted = input.value.trim().toLowerCase(), shown = 0;
			rows.forEach(function (row) {
				row.hidden = wanted !== "" && row.textContent.toLowerCase().indexOf(wanted) < 0;
				if (!row.hidden) shown++;
			});
			count.textContent = wanted === "" ? rows.length + " rows" : shown + " of " + rows.length + " rows";
			tell(count.textContent);
		});
		label.appendChild(input);
		tools.appendChild(label);
		tools.appendChild(count);
	}

	function tables() {
		all("div.table").forEach(function (box) {
			var table = box.querySelector("table");
			var name = table.caption.textContent.trim();
			sortable(table);
			var tools = make("div", { "class": "tools" });
			tools.appendChild(copier("Copy CSV", name, function () { return csv(table); }));
			filter(table, tools, name);
			// Long tables have them above, where they are seen before the rows.
			box.insertBefore(tools, table.tBodies[0].rows.length < filterFrom ? null : box.firstChild);
		});
	}

	// Links to sections copy themselves as well as going there.
	function links() {
		all("a.here").forEach(function (a) {
			a.addEventListener("click", function () {
				copy(a.href, function (ok) { if (ok) tell("Link copied"); });
			});
		});
	}

	function commands() {
		all(".command,.next").forEach(function (box) {
			var code = box.querySelector("code");
			box.appendChild(document.createTextNode(" "));
			box.appendChild(copier("Copy", code.textContent, function () { return code.textContent; }));
		});
	}

	// Details are served open, for those without scripts; here they are folded, but for the one
	// that the address leads into. On paper all are open.
	function fold() {
		var details = all("main details,.index details");
		function reveal() {
			var id = decodeURIComponent(location.hash.slice(1));
			var e = id && document.getElementById(id);
			if (!e) return;
			var inside = e.closest("details") || e.querySelector(":scope > details");
			if (inside && !inside.open) {
				inside.open = true;
				e.scrollIntoView();
			}
		}
		details.forEach(function (d) { d.open = false; });
		window.addEventListener("hashchange", reveal);
		reveal();
		var opened = [];
		window.addEventListener("beforeprint", function () {
			opened = details.filter(function (d) { return !d.open; });
			opened.forEach(function (d) { d.open = true; });
		});
		window.addEventListener("afterprint", function () { opened.forEach(function (d) { d.open = false; }); });
	}

	document.addEventListener("DOMContentLoaded", function () {
		told = make("p", { "class": "hidden", role: "status" });
		document.querySelector("footer").appendChild(told);
		themeButton();
		tables();
		commands();
		links();
		fold();
	});
})();
