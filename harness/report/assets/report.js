/* Filters, deep links and timelines. All text is already in the page; this file only hides, opens and draws. */
(function () {
  "use strict";
  const element = (selector, from) => (from || document).querySelector(selector);
  const all = (selector, from) => Array.from((from || document).querySelectorAll(selector));
  const cards = all("details.case"), rows = all(".matrix tr.row"), unasked = all(".matrix tr.not-asked li"), chips = all(".chip");
  const state = { q: "", outcome: new Set(), profile: "", on: "", all: false };

  // ---------------------------------------------------------------- filters

  function matches(el, outcome, on) {
    if (state.profile && el.dataset.profile !== state.profile) return false;
    if (state.on && on !== state.on) return false;
    if (state.outcome.size && !state.outcome.has(outcome)) return false;
    const hay = (el.dataset.text + " " + on).toLowerCase();
    return state.q.toLowerCase().split(/\s+/).every((word) => hay.includes(word) || hay.includes(word.replace(/\s/g, "-")));
  }

  function apply() {
    const active = Boolean(state.q || state.outcome.size || state.profile || state.on);
    let shown = 0;
    for (const row of rows) {
      let any = false;
      for (const cell of row.cells) {
        if (!cell.dataset.on) continue;
        const unsupported = cell.dataset.outcome === "not-supported" && state.on && !state.outcome.has("not-supported");
        const hit = cell.dataset.outcome && !unsupported && matches(row, cell.dataset.outcome, cell.dataset.on);
        cell.hidden = Boolean(state.on) && cell.dataset.on !== state.on;
        cell.classList.toggle("dim", active && !hit);
        any = any || hit;
      }
      row.hidden = !any;
      shown += any ? 1 : 0;
    }
    for (const head of all(".matrix thead th[data-on]")) head.hidden = Boolean(state.on) && head.dataset.on !== state.on;
    for (const item of unasked) {
      item.hidden = !matches(item, "not-supported", state.on);
      shown += item.hidden ? 0 : 1;
    }
    for (const line of all(".matrix tr.not-asked")) line.hidden = !all("li", line).some((item) => !item.hidden);
    for (const body of all(".matrix tbody")) body.hidden = !all("tr.row, tr.not-asked", body).some((row) => !row.hidden);
    let listed = 0;
    for (const card of cards) {
      const hit = matches(card, card.dataset.outcome, card.dataset.on);
      const telling = card.classList.contains("violated") || card.classList.contains("unknown");
      const on = hit && (telling || state.all || active || card.open);
      card.classList.toggle("on", on);
      card.classList.toggle("off", !on);
      listed += on ? 1 : 0;
    }
    const total = rows.length + unasked.length;
    if (!total) return;
    const note = unasked.length ? " (" + unasked.length + " not asked)" : "";
    element("#shown").textContent = (active ? shown + " of " : "") + total + (total === 1 ? " case" : " cases") + (active ? "" : note);
    element("#cases-note").textContent = active || state.all ? listed + (listed === 1 ? " result" : " results") : listed ? "What was violated or could not be judged; choose a cell above for any other." : "Nothing was violated; choose a cell above to see a case.";
    element("#clear").hidden = !active;
    element("#nothing").hidden = shown > 0;
    element("#all").setAttribute("aria-pressed", String(state.all));
    element("#all").textContent = state.all ? "Show only findings" : "Show all " + cards.length;
    element("#q").value = state.q;
    element("#profile").value = state.profile;
    element("#on").value = state.on;
    for (const chip of chips) chip.setAttribute("aria-pressed", String(state.outcome.has(chip.dataset.outcome)));
  }

  // ---------------------------------------------------------------- the address: #q=…&outcome=…&profile=…&on=…&open=…

  let opened = "";
  function remember() {
    const put = new URLSearchParams();
    if (state.q) put.set("q", state.q);
    if (state.outcome.size) put.set("outcome", Array.from(state.outcome).sort().join(","));
    if (state.profile) put.set("profile", state.profile);
    if (state.on) put.set("on", state.on);
    if (opened) put.set("open", opened);
    const text = put.toString();
    history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
  }

  function recall() {
    const hash = location.hash.slice(1);
    if (hash && !hash.includes("=")) {
      const card = document.getElementById(hash);
      if (card && card.matches("details.case")) open(card);
      return;
    }
    const got = new URLSearchParams(hash);
    state.q = got.get("q") || "";
    state.outcome = new Set((got.get("outcome") || "").split(",").filter(Boolean));
    state.profile = got.get("profile") || "";
    state.on = got.get("on") || "";
    apply();
    const wanted = got.get("open");
    const card = wanted && cards.find((c) => keyOf(c) === wanted);
    if (card) open(card);
  }

  const keyOf = (card) => card.dataset.on + "/" + card.dataset.case;

  function open(card) {
    opened = keyOf(card);
    card.open = true;
    card.classList.add("on");
    card.classList.remove("off");
    draw(card);
    remember();
    card.scrollIntoView({ block: "start" });
    element("summary", card).focus({ preventScroll: true });
  }

  function change(step) {
    step();
    apply();
    remember();
  }

  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-open], [data-copy], [data-clear], [data-do], .chip, #clear, #all");
    if (!target) return;
    if (target.dataset.open) {
      event.preventDefault();
      open(document.getElementById(target.dataset.open));
    } else if (target.matches("[data-copy]")) copy(target);
    else if (target.matches("#all")) change(() => { state.all = !state.all; });
    else if (target.matches(".chip")) change(() => { const o = target.dataset.outcome; if (!state.outcome.delete(o)) state.outcome.add(o); });
    else if (target.dataset.do) act(target);
    else change(() => { state.q = state.profile = state.on = ""; state.outcome.clear(); });
  });
  if (rows.length || unasked.length) {
    element("#q").addEventListener("input", (event) => change(() => { state.q = event.target.value; }));
    element("#profile").addEventListener("change", (event) => change(() => { state.profile = event.target.value; }));
    element("#on").addEventListener("change", (event) => change(() => { state.on = event.target.value; }));
  }
  document.addEventListener("toggle", (event) => { if (event.target.matches && event.target.matches("details.case") && event.target.open) draw(event.target); }, true);
  window.addEventListener("hashchange", recall);

  function copy(button) {
    const command = element("code", button.parentNode).textContent;
    const done = (text) => { button.textContent = text; setTimeout(() => { button.textContent = "Copy"; }, 1600); };
    const old = () => {
      const area = document.createElement("textarea");
      area.value = command;
      document.body.append(area);
      area.select();
      const fine = document.execCommand("copy");
      area.remove();
      button.focus();
      done(fine ? "Copied" : "Select and copy");
    };
    if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(command).then(() => done("Copied"), old);
    else old();
  }

  // ---------------------------------------------------------------- timelines

  const views = new WeakMap();
  const NS = "http://www.w3.org/2000/svg";
  const colour = (gang) => (gang < 0 ? "var(--none)" : "var(--g" + (gang % 8) + ")");

  function node(tag, attributes, parent, text) {
    const made = document.createElementNS(NS, tag);
    for (const name in attributes) made.setAttribute(name, attributes[name]);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  }

  function html(tag, attributes, parent, text) {
    const made = document.createElement(tag);
    for (const name in attributes) made.setAttribute(name, attributes[name]);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  }

  function clock(ms) {
    if (ms < 1000) return +ms.toFixed(ms < 10 ? 1 : 0) + " ms";
    if (ms < 100000) return +(ms / 1000).toFixed(ms < 10000 ? 2 : 1) + " s";
    return Math.floor(ms / 60000) + " min " + Math.round((ms % 60000) / 1000) + " s";
  }

  function draw(card) {
    const figure = element("figure.timeline", card);
    if (!figure) return;
    let view = views.get(figure);
    if (!view) {
      const data = JSON.parse(element("script", figure).textContent);
      const length = Math.max(data.length, 1);
      view = { figure, data, length, full: [-length * 0.025, length * 1.025], a: 0, b: 0 };
      [view.a, view.b] = view.full;
      views.set(figure, view);
      legend(view);
      asTable(view);
      rest(view);
      new ResizeObserver(() => { if (element(".chart", figure).clientWidth !== view.width) paint(view); }).observe(element(".chart", figure));
      listen(view);
    }
    paint(view);
  }

  function rest(view) {
    const notes = ["Solid bars belong to a gang at quorum, pale ones to a gang below it."].concat(view.data.notes);
    element(".readout", view.figure).textContent = notes.join(" ");
  }

  function legend(view) {
    const box = element(".legend", view.figure), data = view.data;
    const swatch = (label, fill) => { const item = html("span", {}, box); const svg = node("svg", { viewBox: "0 0 18 10" }, item); fill(svg); item.append(label); };
    const rect = (more) => (svg) => node("rect", Object.assign({ x: 0.5, y: 0.5, width: 17, height: 9, rx: 2 }, more), svg);
    swatch("at quorum", rect({ fill: "var(--g0)" }));
    swatch("below quorum", rect({ fill: "var(--g0)", "fill-opacity": 0.22, stroke: "var(--g0)" }));
    if (data.bars.some((bar) => bar[6] === 1)) swatch("placeholder", (svg) => { hatch(svg, 0, "legend"); rect({ fill: "url(#hatch-legend-0)", stroke: "var(--g0)" })(svg); });
    if (data.bands.length) swatch("fault", rect({ fill: "var(--band)", "fill-opacity": 0.2 }));
    if (data.marks.some((mark) => mark[1] === "refused")) swatch("refused", (svg) => sign(svg, "refused", 9, 5, -1));
    if (data.marks.some((mark) => mark[1] === "evicted")) swatch("evicted", (svg) => sign(svg, "evicted", 9, 5, -1));
  }

  let serial = 0;
  function hatch(svg, gang, id) {
    const pattern = node("pattern", { id: "hatch-" + id + "-" + gang, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, node("defs", {}, svg));
    node("rect", { width: 5, height: 5, fill: colour(gang), "fill-opacity": 0.12 }, pattern);
    node("rect", { width: 1.8, height: 5, fill: colour(gang), "fill-opacity": 0.75 }, pattern);
  }

  function sign(parent, kind, x, y, index) {
    const group = node("g", { class: "hit", transform: "translate(" + x + " " + y + ")" }, parent);
    if (index >= 0) group.setAttribute("data-mark", index);
    if (kind === "refused") { node("circle", { r: 4, class: "refused", fill: "var(--card)" }, group); node("path", { d: "M-2.6 2.6 2.6 -2.6", class: "refused" }, group); }
    else if (kind === "evicted") node("path", { d: "M-5 -4.5H5L0 4.5Z", class: "evicted sign" }, group);
    else { node("circle", { r: 5.5, fill: "var(--bad)", class: "sign" }, group); node("path", { d: "M-2 -2 2 2M-2 2 2 -2", stroke: "var(--card)", "stroke-width": 1.6 }, group); }
    node("rect", { x: -7, y: -7, width: 14, height: 14, fill: "transparent" }, group);
  }

  function ticks(a, b, width) {
    const rough = ((b - a) / Math.max(2, Math.floor(width / 90))), power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) || power * 10, out = [];
    for (let t = Math.ceil(Math.max(0, a) / step) * step; t <= b; t += step) out.push(t);
    return out;
  }

  function paint(view) {
    const { data, figure, a, b } = view, chart = element(".chart", figure), width = chart.clientWidth;
    if (!width) return;
    view.width = width;
    const narrow = width < 560, left = narrow ? 0 : 148, right = width - 4, span = b - a;
    const x = (t) => left + ((t - a) / span) * (right - left);
    const clamp = (v) => Math.max(left, Math.min(right, v));
    const until = (t) => (t < 0 ? view.length : t);
    const id = view.id || (view.id = "t" + ++serial);
    const svg = node("svg", { role: "img", tabindex: 0, "aria-label": "Timeline of " + figure.dataset.title + ": " + data.gangs.length + " gangs on " + data.nodes.length + " nodes over " + clock(data.length) + (data.bad ? "; first violation at " + clock(data.bad[0]) + ", " + data.bad[3] : "") + ". Arrow keys move, plus and minus zoom." });
    const defs = node("defs", {}, svg);
    node("rect", { x: left, y: 0, width: Math.max(1, right - left), height: 9999 }, node("clipPath", { id: "clip-" + id }, defs));
    for (const gang of new Set(data.bars.filter((bar) => bar[6] === 1).map((bar) => bar[3]))) hatch(svg, gang, id);
    const back = node("g", { "clip-path": "url(#clip-" + id + ")" }, svg), mid = node("g", { "clip-path": "url(#clip-" + id + ")" }, svg), front = node("g", {}, svg);
    const label = (text, y, strong, tint) => {
      const shortened = text.length > (narrow ? 44 : 21) ? "…" + text.slice(-(narrow ? 43 : 20)) : text;
      if (tint) node("circle", { cx: 4, cy: y - 4, r: 3.5, fill: tint }, front);
      return node("text", { x: tint ? 13 : 0, y: y, class: strong ? "strong" : "" }, front, shortened);
    };

    // what the case did: two rows of words on top, left out where they would collide
    let y = data.bad ? 24 : 2;
    const ends = [-1, -1];
    const top = y;
    for (const [at, kind, text] of data.lines) {
      if (at < a || at > b) continue;
      const px = x(at), row = ends.findIndex((end) => px > end + 8), size = Math.min(text.length, 34) * 5.7;
      node("line", { x1: px, x2: px, y1: top + 2, y2: "100%", class: "did" }, back);
      if (row < 0 || px + size > right) continue;
      node("text", { x: px + 4, y: top + 11 + row * 14 }, front, text.length > 34 ? text.slice(0, 33) + "…" : text);
      ends[row] = px + size;
    }
    if (data.lines.length) y += ends[1] >= 0 ? 32 : 18;
    const bandRow = y;
    if (data.bands.length) y += 16;

    // gangs: dashed while they wait, solid at quorum
    const gangY = [];
    for (const [name, size, quorum, from, to, whole] of data.gangs) {
      const i = gangY.length, short = name.slice(name.indexOf("/") + 1), tint = colour(i);
      if (narrow) y += 15;
      const middle = y + 9;
      const title = label(short, narrow ? y : middle + 4, true, tint);
      node("tspan", { class: "aside", dx: 6 }, title, (quorum === size ? "all " : quorum + " of ") + size);
      const start = Math.max(0, from), stop = until(to);
      node("line", { x1: x(start), x2: x(stop), y1: middle, y2: middle, class: "wait", stroke: tint }, mid);
      for (const [s, e] of whole) node("rect", { x: x(s), y: middle - 3, width: Math.max(2, x(until(e)) - x(s)), height: 6, rx: 3, fill: tint }, mid);
      node("rect", { x: x(start), y: y, width: Math.max(2, x(stop) - x(start)), height: 18, fill: "transparent", "data-gang": i }, mid);
      gangY.push(middle);
      y += 18;
    }
    if (gangY.length) y += 12;

    // nodes: one row per GPU, thin rows for pods without
    const laneY = [], rowOf = [], first = y;
    for (const [name, gpus, most, thin, troubles] of data.nodes) {
      const tall = Math.max(gpus, most) > 8 ? 9 : 15, rowsHere = Math.max(gpus, most, thin ? 0 : 1);
      if (narrow) y += 13;
      label(name, narrow ? y - 3 : y + Math.min(11, tall), true);
      if (!narrow && gpus && (rowsHere > 1)) node("text", { x: 0, y: y + Math.min(11, tall) + 14 }, front, gpus + " GPU" + (gpus > 1 ? "s" : ""));
      const height = rowsHere * (tall + 2) + thin * 6;
      for (let r = 0; r < gpus; r++) node("rect", { x: left, y: y + r * (tall + 2), width: Math.max(1, right - left), height: tall, rx: 3, class: "track" }, back);
      for (let r = gpus; r < most; r++) node("rect", { x: left + 1, y: y + r * (tall + 2), width: Math.max(1, right - left - 2), height: tall, rx: 3, class: "over", "stroke-dasharray": "3 3" }, back);
      for (const [s, e, why] of troubles) {
        const x1 = clamp(x(s < 0 ? view.full[0] : s)), x2 = clamp(x(e < 0 ? view.full[1] : e));
        if (x2 <= x1) continue;
        node("rect", { x: x1, y: y - 1, width: x2 - x1, height: height + 1, class: why === "gone" ? "gone" : "trouble" }, back);
        if (x2 - x1 > 60 && (s >= 0 || why !== "gone")) node("text", { x: x2 - 5, y: y + Math.min(11, tall), "text-anchor": "end", class: "bandname" }, front, "node " + why);
      }
      laneY.push(y);
      rowOf.push((row, count) => (count ? [row * (tall + 2), count * (tall + 2) - 2] : [rowsHere * (tall + 2) + row * 6, 4]));
      y += Math.max(height, narrow || gpus < 2 ? 0 : 30) + 10;
    }
    const bottom = y;

    for (const [s, e, kind, text] of data.bands) {
      const x1 = clamp(x(s)), x2 = Math.max(x1 + (kind === "gap" ? 2 : 1), clamp(x(e < 0 ? view.full[1] : e)));
      if (x(s) > right || x(e < 0 ? view.full[1] : e) < left) continue;
      node("rect", { x: x1, y: bandRow, width: x2 - x1, height: bottom - bandRow, class: "band" }, back);
      node("line", { x1: x1, x2: x1, y1: bandRow, y2: bottom, class: "edge" }, back);
      if (e >= 0) node("line", { x1: x2, x2: x2, y1: bandRow, y2: bottom, class: "edge" }, back);
      const size = text.length * 6.1;
      node("text", { x: x1 + 5 + size > right ? Math.max(left, right - size) : x1 + 5, y: bandRow + 11, class: "bandname" }, front, text);
    }

    data.bars.forEach((bar, index) => {
      const [lane, row, count, gang, from, to, kind, pod] = bar, x1 = x(from), x2 = Math.max(x1 + 2, x(until(to)));
      if (x2 < left || x1 > right) return;
      const [dy, height] = rowOf[lane](row, count), top = laneY[lane] + dy, tint = colour(gang);
      const box = { x: x1, y: top, width: x2 - x1, height: height, rx: Math.min(3, height / 2) };
      const group = node("g", { class: "hit", "data-bar": index }, mid);
      if (kind === 1) node("rect", Object.assign({ fill: "url(#hatch-" + id + "-" + gang + ")", stroke: tint }, box), group);
      else if (kind === 2 || gang < 0) node("rect", Object.assign({ fill: tint, "fill-opacity": 0.55 }, box), group);
      else {
        node("rect", Object.assign({ fill: tint, "fill-opacity": 0.2, stroke: tint, "stroke-opacity": 0.8 }, box), group);
        for (const [s, e] of data.gangs[gang][5]) {
          const s1 = Math.max(x1, x(s)), s2 = Math.min(x2, x(until(e)));
          if (s2 > s1) node("rect", Object.assign({}, box, { x: s1, width: s2 - s1, fill: tint }), group);
        }
      }
      if (height >= 12 && kind !== 1) name(mid, pod, pieces(view, bar, Math.max(x1, left), Math.min(x2, right), x), top + height / 2 + 4);
    });

    data.marks.forEach(([at, kind, gang, lane, , row, count], index) => {
      if (at < a || at > b) return;
      const [dy, height] = lane >= 0 && row >= 0 ? rowOf[lane](row, count) : [0, 14];
      sign(front, kind, x(at), lane >= 0 ? laneY[lane] + dy + height / 2 : gang >= 0 ? gangY[gang] : first - 6, index);
    });

    if (data.bad && data.bad[0] >= a && data.bad[0] <= b) {
      const px = x(data.bad[0]), flagText = "violation" + (data.bad[1] === null ? "" : " · revision " + data.bad[1]), size = flagText.length * 6.2 + 14;
      const flag = px + size > right ? px - size : px;
      node("line", { x1: px, x2: px, y1: 9, y2: bottom, class: "badline" }, front);
      node("rect", { x: flag, y: 0, width: size, height: 18, rx: 4, class: "badflag" }, front);
      node("text", { x: flag + 7, y: 13, class: "badname" }, front, flagText);
    }

    node("line", { x1: left, x2: right, y1: bottom, y2: bottom, class: "axis" }, front);
    for (const t of ticks(a, b, right - left)) {
      node("line", { x1: x(t), x2: x(t), y1: bottom, y2: bottom + 4, class: "axis" }, front);
      node("text", { x: x(t), y: bottom + 16, "text-anchor": x(t) < left + 14 ? "start" : x(t) > right - 18 ? "end" : "middle" }, front, clock(t));
    }
    svg.setAttribute("viewBox", "0 0 " + width + " " + (bottom + 22));
    svg.setAttribute("height", bottom + 22);
    for (const line of all(".did", svg)) line.setAttribute("y2", bottom);
    const held = chart.contains(document.activeElement);
    chart.replaceChildren(svg);
    if (held) svg.focus({ preventScroll: true });
  }

  // A bar is pale where its gang is below quorum and solid where it is not; its name goes where it fits best.
  function pieces(view, bar, x1, x2, x) {
    const [, , , gang, , , kind] = bar, out = [];
    let at = x1;
    for (const [s, e] of kind === 0 && gang >= 0 ? view.data.gangs[gang][5] : []) {
      const s1 = Math.max(at, x(s)), s2 = Math.min(x2, x(e < 0 ? view.length : e));
      if (s2 <= s1) continue;
      out.push([at, s1, "pale"], [s1, s2, "on"]);
      at = s2;
    }
    return out.concat([[at, x2, "pale"]]);
  }

  function name(parent, pod, places, y) {
    const size = pod.length * 6.2, widest = places.reduce((p, q) => (q[1] - q[0] > p[1] - p[0] ? q : p));
    const [x1, x2, look] = places.find((place) => place[1] - place[0] > size + 10) || widest, room = Math.floor((x2 - x1 - 16) / 6.2);
    const shown = x2 - x1 > size + 10 ? pod : room > 4 ? "…" + pod.slice(-room) : "";
    if (shown) node("text", { x: x1 + 5, y: y, class: look }, parent, shown);
  }

  // ---------------------------------------------------------------- moving in a timeline

  function look(view, a, b) {
    const least = Math.min(view.length, 2), width = Math.max(least, Math.min(b - a, view.full[1] - view.full[0]));
    a = Math.max(view.full[0], Math.min(a, view.full[1] - width));
    view.a = a;
    view.b = a + width;
    paint(view);
  }

  function zoom(view, factor, around) {
    const middle = around === undefined ? (view.a + view.b) / 2 : around;
    look(view, middle - (middle - view.a) * factor, middle + (view.b - middle) * factor);
  }

  function jump(view) {
    const at = view.data.bad[0], width = Math.max(view.length * 0.2, 20);
    look(view, at - width / 2, at + width / 2);
    show(view, "First violation", "at " + clock(at) + (view.data.bad[1] === null ? "" : ", revision " + view.data.bad[1]) + ": " + view.data.bad[3]);
    element("svg", element(".chart", view.figure)).focus({ preventScroll: true });
    view.figure.scrollIntoView({ block: "nearest" });
  }

  function act(button) {
    const view = views.get(button.closest("figure"));
    if (!view) return;
    const what = button.dataset.do;
    if (what === "jump") jump(view);
    else if (what === "in") zoom(view, 0.5);
    else if (what === "out") zoom(view, 2);
    else { look(view, view.full[0], view.full[1]); rest(view); }
  }

  function show(view, name, description) {
    const out = element(".readout", view.figure);
    out.replaceChildren(html("b", {}, null, name), " " + description);
  }

  function barText(view, bar) {
    const [lane, , count, gang, from, to, kind, , end] = view.data.bars[bar];
    const part = kind === 1 ? "placeholder" : kind === 2 ? "plain pod" : "member";
    return part + (gang >= 0 ? " of " + view.data.gangs[gang][0] : "") + " on " + view.data.nodes[lane][0] + (count ? ", " + count + " GPU" + (count > 1 ? "s" : "") : "") +
      ", bound at " + clock(from) + (to < 0 ? ", still bound at the end" : ", " + end + " at " + clock(to) + " after " + clock(to - from));
  }

  function gangText(view, index) {
    const [, size, quorum, from, to, whole] = view.data.gangs[index], start = Math.max(0, from);
    return "needs " + quorum + " of " + size + ", submitted at " + clock(start) + ", " + (whole.length ? "at quorum after " + clock(whole[0][0] - start) : "never at quorum") + (to < 0 ? "" : ", deleted at " + clock(to));
  }

  function listen(view) {
    const chart = element(".chart", view.figure);
    chart.addEventListener("pointerover", (event) => {
      const hit = event.target.closest("[data-bar], [data-mark], [data-gang]");
      if (!hit) return;
      const d = hit.dataset;
      if (d.bar) show(view, view.data.bars[d.bar][7], barText(view, d.bar));
      else if (d.mark) show(view, view.data.marks[d.mark][1].replace("-", " "), "at " + clock(view.data.marks[d.mark][0]) + ": " + view.data.marks[d.mark][4]);
      else show(view, view.data.gangs[d.gang][0], gangText(view, d.gang));
    });
    chart.addEventListener("pointerleave", () => rest(view));
    chart.addEventListener("keydown", (event) => {
      const step = (view.b - view.a) * 0.2, keys = {
        ArrowLeft: () => look(view, view.a - step, view.b - step), ArrowRight: () => look(view, view.a + step, view.b + step),
        "+": () => zoom(view, 0.5), "=": () => zoom(view, 0.5), "-": () => zoom(view, 2), Home: () => look(view, view.full[0], view.full[1]),
      };
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      keys[event.key]();
    });
    let grip = null;
    chart.addEventListener("pointerdown", (event) => { if (event.button === 0) grip = { x: event.clientX, a: view.a, b: view.b }; });
    chart.addEventListener("pointermove", (event) => {
      if (!grip || Math.abs(event.clientX - grip.x) < 4) return;
      const by = ((grip.x - event.clientX) / view.width) * (grip.b - grip.a);
      look(view, grip.a + by, grip.b + by);
    });
    for (const stop of ["pointerup", "pointercancel"]) window.addEventListener(stop, () => { grip = null; });
  }

  function asTable(view) {
    const box = html("details", { class: "as-text" }, view.figure), data = view.data, entries = [];
    html("summary", {}, box, "Timeline as text");
    box.addEventListener("toggle", () => {
      if (!box.open || element("table", box)) return;
      data.lines.forEach(([at, , text]) => entries.push([at, "case", text]));
      data.bands.forEach(([at, to, , text]) => { entries.push([at, "fault", text]); if (to > at) entries.push([to, "fault over", text]); });
      data.marks.forEach(([at, kind, , , text]) => entries.push([at, kind.replace("-", " "), text]));
      data.bars.forEach((bar, i) => { entries.push([bar[4], "bound", bar[7] + ", " + barText(view, i)]); });
      if (data.bad) entries.push([data.bad[0], "violation", data.bad[3]]);
      entries.sort((p, q) => p[0] - q[0]);
      const body = html("tbody", {}, html("table", {}, html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Timeline as text" }, box)));
      for (const [at, kind, text] of entries.slice(0, 300)) {
        const row = html("tr", {}, body);
        html("td", { class: "num" }, row, clock(at));
        html("td", {}, row, kind);
        html("td", {}, row, text);
      }
      if (entries.length > 300) html("p", { class: "quiet" }, box, "and " + (entries.length - 300) + " more, see the history.");
    });
  }

  // ---------------------------------------------------------------- start, and what a printer gets

  window.addEventListener("beforeprint", () => {
    for (const card of cards) if (card.matches(".violated.on, .unknown.on")) { card.open = true; draw(card); }
  });
  recall();
  apply();
  for (const card of cards) if (card.open) draw(card);
})();
