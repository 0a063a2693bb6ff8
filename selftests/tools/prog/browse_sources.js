// SPDX-License-Identifier: MIT
// Reads the sources below the picture, and leaves what it saw in the page.
"use strict";
(async () => {
	const seen = {};
	const wait = () => new Promise(done => setTimeout(done, 20));
	const parts = () => [...document.querySelectorAll("#sources details")];
	const shown = () => parts().filter(d => d.offsetHeight).map(d => d.querySelector("summary").textContent);
	const lines = d => [...d.querySelectorAll("pre div")].map(l => [...l.children].map(s => s.textContent));

	for (let i = 0; i < 200 && !parts().length; i++)
		await wait();
	for (let i = 0; i < 20; i++)
		await wait();
	seen.start = shown();
	seen.open = parts().map(d => d.open);
	seen.lines = lines(parts()[0]);
	seen.closed = lines(parts()[1]);
	parts()[1].querySelector("summary").click();
	for (let i = 0; i < 20; i++)
		await wait();
	seen.opened = lines(parts()[1]);
	seen.heat = [...parts()[0].querySelectorAll("pre div")].map(l => l.style.backgroundColor);

	const search = document.getElementById("search");
	search.value = "cold";
	search.dispatchEvent(new Event("input"));
	seen.found = shown();
	document.getElementById("reset").click();
	seen.reset = shown().length;

	const out = document.createElement("pre");
	out.id = "seen";
	out.textContent = "SEEN" + JSON.stringify(seen) + "SEEN";
	document.body.append(out);
})();
