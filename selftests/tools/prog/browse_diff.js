// SPDX-License-Identifier: MIT
// What a reader does with the picture of two sides; what was seen is printed.
addEventListener("load", () => setTimeout(() => {
	const seen = {};
	const buttons = () => [...document.getElementById("picture").children].filter(b => b.node);
	const titles = () => buttons().map(b => b.title);
	const colors = () => Object.fromEntries(buttons().map(b => [b.node.frame.name,
		getComputedStyle(b).backgroundColor.match(/\d+/g).map(Number)]));
	const width = name => buttons().filter(b => b.node.frame.name === name).map(b => b.style.width)[0];
	const sides = [...document.getElementById("sides").children];

	seen.sides = sides.map(b => [b.textContent, b.ariaPressed]);
	seen.heads = [...document.querySelectorAll("th")].map(t => t.textContent);
	seen.rows = [...document.querySelectorAll("tbody tr")].map(tr =>
		[[...tr.children].map(td => td.textContent), tr.className]);
	seen.start = titles();
	seen.colors = colors();
	seen.wide = [width("alpha"), width("be\"ta")];
	sides[0].click();
	seen.base = [width("alpha") || "", width("be\"ta") || ""];
	seen.pressed = sides.map(b => b.ariaPressed);
	document.querySelector("tbody tr:nth-child(2)").click();
	seen.tip = document.getElementById("tip").textContent;
	document.querySelectorAll("th button")[0].click();
	seen.sorted = [...document.querySelectorAll("tbody tr")].map(tr => tr.children[3].textContent);
	const pre = document.createElement("pre");
	pre.textContent = "SEEN" + JSON.stringify(seen) + "SEEN";
	document.body.append(pre);
}, 2000));
