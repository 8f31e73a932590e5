/** What a replay's page needs beside the style of reports: light or dark come from there. */
export const REPLAY_STYLE = `
:root{--moved:#3b78c3}@media(prefers-color-scheme:dark){:root{--moved:#5b9be6}}
.wide{overflow-x:auto}.attempts{min-width:760px}
.square{width:auto}.square th,.square td{border:1px solid var(--line);padding:6px 10px;text-align:center;vertical-align:middle}
.square tbody th{text-align:right}.square td.cell{background:color-mix(in srgb,var(--moved) var(--shade),transparent);min-width:72px}
.square td b{display:block;font-variant-numeric:tabular-nums}.square td small{opacity:.75;font-size:12px}.square td.none{color:var(--dim)}
th.n{text-align:right}.stack .same{background:var(--none)}.stack .changed{background:var(--moved)}.stack .vanished{background:var(--fail)}.stack .appeared{background:var(--pass)}
.key{font-size:13px;color:var(--dim)}.key i{display:inline-block;width:10px;height:10px;border-radius:2px;margin:0 4px 0 12px}.key i:first-child{margin-left:0}
.key .same{background:var(--none)}.key .changed{background:var(--moved)}.key .vanished{background:var(--fail)}.key .appeared{background:var(--pass)}
.moved{color:var(--moved);font-weight:600}
`;
