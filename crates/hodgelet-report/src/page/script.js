"use strict";
(() => {
  const PAGE = 25;
  const short = (v) => {
    // The digits of the rest of the report; values come rounded to them.
    const size = Math.abs(v);
    if (Number.isInteger(v) && size < 1e15) return String(v);
    if (size < 0.01 || size >= 1e15) return v.toExponential(2);
    return v.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 3);
  };
  const probability = (v) => (v === 0 ? "–" : v.toFixed(3));
  function report(root) {
    const find = (id) => document.getElementById(root.dataset.prefix + id);
    const data = JSON.parse(find("rows").textContent);
    const body = find("table-body"), heads = [...find("table").querySelectorAll("th")];
    const drawn = new Set(data.drawn), numbers = data.numbers;
    let order = data.graph.map((_, i) => i), page = 0, key = null, down = false;
    const label = (i) => data.name[i] || String(data.graph[i]);
    const certain = numbers ? short : probability;
    const target = (v) => (v === null ? "–" : numbers ? short(v) : data.classes[v]);
    const wrong = (i) => data.truth[i] !== null && (numbers ? data.surprise[i] > 2 : data.truth[i] !== data.predicted[i]);
    const passes = {
      all: () => true, wrong, far: (i) => data.far[i] === 1, drawn: (i) => drawn.has(data.graph[i]),
      unsure: (i) => !numbers && data.sure[i] < 0.6,
    };
    const columns = heads.map((th) => th.dataset.key);
    const value = {
      name: label, truth: (i) => target(data.truth[i]), predicted: (i) => target(data.predicted[i]), sure: (i) => certain(data.sure[i]),
      surprise: (i) => certain(data.surprise[i]), distance: (i) => short(data.distance[i]), fold: (i) => (data.fold[i] === null ? "–" : data.fold[i]),
    };
    function shown() {
      const text = find("search").value.toLowerCase(), pass = passes[find("kind").value];
      return order.filter((i) => pass(i) && (text === "" || columns.some((c) => String(value[c](i)).toLowerCase().includes(text))));
    }
    function draw() {
      const rows = shown(), last = Math.max(0, Math.ceil(rows.length / PAGE) - 1);
      page = Math.min(page, last);
      const part = rows.slice(page * PAGE, (page + 1) * PAGE);
      body.replaceChildren(...part.map((i) => {
        const tr = document.createElement("tr");
        if (wrong(i)) tr.className = "wrong";
        for (const column of columns) {
          const td = document.createElement("td");
          if (column === "name") {
            const button = document.createElement("button");
            button.type = "button";
            button.textContent = label(i);
            button.addEventListener("click", () => choose(data.graph[i], true));
            td.append(button);
          } else td.textContent = value[column](i);
          tr.append(td);
        }
        return tr;
      }));
      const from = rows.length ? page * PAGE + 1 : 0;
      find("status").textContent = `${from} to ${page * PAGE + part.length} of ${rows.length}`;
      find("previous").disabled = page === 0;
      find("next").disabled = page >= last;
    }
    function sort(next) {
      down = key === next ? !down : next !== "name" && next !== "truth" && next !== "predicted";
      key = next;
      const by = key === "name" ? (data.name.some((n) => n) ? label : (i) => data.graph[i]) : (i) => data[key][i];
      const compare = (a, b) => {
        const [x, y] = [by(a), by(b)];
        const less = typeof x === "string" ? x.localeCompare(y) : (x === null) - (y === null) || x - y;
        return (down ? -less : less) || a - b;
      };
      order = data.graph.map((_, i) => i).sort(compare);
      for (const th of heads) {
        if (th.dataset.key === key) th.setAttribute("aria-sort", down ? "descending" : "ascending");
        else th.removeAttribute("aria-sort");
      }
      page = 0;
      draw();
    }
    function choose(graph, move) {
      const note = find("not-drawn");
      if (!note) return;
      note.textContent = drawn.has(graph) ? "" : `Graph ${graph} is not drawn: ${drawn.size} graphs are. The commands hodgelet explain and hodgelet plot show any.`;
      for (const view of root.querySelectorAll(".view")) view.hidden = view.id !== `${root.dataset.prefix}view-${graph}`;
      if (drawn.has(graph)) find("choice").value = String(graph);
      if (move) {
        find("graph").scrollIntoView();
        const view = find(`view-${graph}`);
        if (view) view.focus({ preventScroll: true });
      }
    }
    for (const th of heads) th.firstElementChild.addEventListener("click", () => sort(th.dataset.key));
    find("search").addEventListener("input", () => { page = 0; draw(); });
    find("kind").addEventListener("change", () => { page = 0; draw(); });
    find("previous").addEventListener("click", () => { page -= 1; draw(); });
    find("next").addEventListener("click", () => { page += 1; draw(); });
    if (find("choice")) find("choice").addEventListener("change", (event) => choose(Number(event.target.value), false));
    draw();
  }
  for (const root of document.querySelectorAll("[data-prefix]")) report(root);
  const targets = [...document.querySelectorAll(".target")], list = document.getElementById("target");
  if (list) {
    const show = () => targets.forEach((target, k) => { target.hidden = k !== Number(list.value); });
    list.addEventListener("change", show);
    show();
  }
  for (const details of document.querySelectorAll("details")) {
    window.addEventListener("beforeprint", () => { details.open = true; });
  }
})();
