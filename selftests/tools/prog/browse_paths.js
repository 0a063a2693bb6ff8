// SPDX-License-Identifier: MIT
// Uses the flame graph as a reader does, and leaves what it saw in the page.
"use strict";
(async () => {
	const seen = {};
	const wait = () => new Promise(done => setTimeout(done, 20));
	const boxes = () => [...document.querySelectorAll("#picture button")];
	const titles = () => boxes().map(b => b.title);
	const box = text => boxes().find(b => b.title.includes(text));
	const text = name => document.getElementById(name).textContent;
	const view = name => document.querySelector(`[data-view=${name}]`).click();
	const search = document.getElementById("search");
	const look = words => {
		search.value = words;
		search.dispatchEvent(new Event("input"));
	};
	const press = key => document.activeElement.dispatchEvent(
		new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

	for (let i = 0; i < 200 && !boxes().length; i++)
		await wait();
	seen.head = text("head");
	seen.views = [...document.querySelectorAll("#views button")].map(b => b.textContent);
	seen.calls = titles();
	seen.tops = boxes().map(b => parseInt(b.style.top));
	seen.inlined = boxes().filter(b => b.classList.contains("inlined")).map(b => b.title);

	box("function gamma").click();
	seen.zoomed = titles();
	seen.tip = text("tip");
	box(" all").click();

	look("alpha");
	seen.found = text("said");
	seen.hits = boxes().filter(b => b.classList.contains("hit")).length;
	look("");

	boxes().find(b => b.tabIndex === 0).focus();
	seen.focus = [document.activeElement.title];
	for (const key of ["ArrowDown", "ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"]) {
		press(key);
		seen.focus.push(document.activeElement.title);
	}
	document.activeElement.click();
	seen.entered = titles();
	seen.kept = document.activeElement.title;
	press("Escape");

	view("callers");
	seen.callers = titles();
	view("processes");
	seen.processes = titles();
	view("places");
	seen.places = titles();
	seen.pressed = document.querySelector("[aria-pressed=true]").textContent;

	const out = document.createElement("pre");
	out.id = "seen";
	out.textContent = "SEEN" + JSON.stringify(seen) + "SEEN";
	document.body.append(out);
})();
