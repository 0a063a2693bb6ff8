// SPDX-License-Identifier: MIT
// Uses the picture as a reader does, and leaves what it saw in the page.
"use strict";
(async () => {
	const seen = {};
	const wait = () => new Promise(done => setTimeout(done, 20));
	const boxes = () => [...document.querySelectorAll("#picture button")];
	const box = text => boxes().find(b => b.title.includes(text));
	const cells = n => [...document.querySelectorAll(`tbody tr td:nth-child(${n})`)].map(td => td.textContent);
	const back = () => getComputedStyle(document.body).backgroundColor;
	const sort = by => document.querySelector(`th button[data-by=${by}]`).click();

	for (let i = 0; i < 200 && !boxes().length; i++)
		await wait();
	seen.start = boxes().map(b => b.title);
	seen.head = document.getElementById("head").textContent;
	seen.table = cells(3);
	seen.scripts = document.querySelectorAll("script").length;

	box("function alpha").click();
	seen.zoomed = boxes().map(b => b.title);
	seen.wide = box("function alpha").style.width;
	seen.tip = document.getElementById("tip").textContent;
	box(" all").click();
	seen.back = boxes().length;
	[...document.querySelectorAll("tbody tr")].find(tr => tr.textContent.includes("read")).click();
	seen.by_row = document.getElementById("tip").textContent;
	document.getElementById("reset").click();

	const search = document.getElementById("search");
	search.value = "READ";
	search.dispatchEvent(new Event("input"));
	seen.hits = boxes().filter(b => b.classList.contains("hit")).map(b => b.title);
	seen.found = document.getElementById("said").textContent;
	seen.filtered = cells(3);
	document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
	seen.cleared = cells(3).length;

	sort("name");
	seen.by_name = cells(3);
	sort("name");
	seen.by_name_again = cells(3);
	sort("total");
	seen.by_total = cells(2);

	seen.light = back();
	document.getElementById("theme").click();
	seen.dark = back();

	const out = document.createElement("pre");
	out.id = "seen";
	out.textContent = "SEEN" + JSON.stringify(seen) + "SEEN";
	document.body.append(out);
})();
