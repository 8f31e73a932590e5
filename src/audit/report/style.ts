/** Of the page: light or dark as the reader's system is. Results differ by shade as well as by hue. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fff;--fg:#1c2430;--dim:#667085;--line:#e1e5ea;--box:#f6f7f9;--pass:#4f9d6b;--warn:#d9a018;--fail:#c9372c;--none:#b7bec8}
@media(prefers-color-scheme:dark){:root{--bg:#14181e;--fg:#e4e8ee;--dim:#98a2b3;--line:#2c343f;--box:#1c222a;--pass:#4f9d6b;--warn:#d3a02c;--fail:#e5574b;--none:#4a5462}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:1080px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:26px;margin:0 0 8px}h2{font-size:18px;margin:36px 0 10px;border-bottom:1px solid var(--line);padding-bottom:6px}h3{font-size:16px;margin:0 0 4px}
h3 small,.dim,.place{color:var(--dim);font-weight:400}
ul{margin:0;padding-left:20px}.summary{list-style:none;padding:0;color:var(--dim)}.summary li:first-child{color:var(--fg);font-weight:600}
table{border-collapse:collapse;width:100%;margin:6px 0}th,td{text-align:left;padding:5px 10px 5px 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
thead th{color:var(--dim);font-weight:500;font-size:13px}tbody th{font-weight:600;white-space:nowrap}
td.n{text-align:right;font-variant-numeric:tabular-nums;width:90px}td.zero{color:var(--dim)}td.fail,th.fail{color:var(--fail);font-weight:600}td.warn{color:var(--warn);font-weight:600}
td.bar{width:34%}.stack{display:flex;height:12px;margin:6px 0;border-radius:3px;overflow:hidden;background:var(--box)}
.stack .pass{background:var(--pass)}.stack .warn{background:var(--warn)}.stack .fail{background:var(--fail)}.stack .not_auditable{background:var(--none)}
.badge{display:inline-block;border-radius:4px;padding:1px 8px;font-size:13px;font-weight:600;color:#fff;background:var(--none);vertical-align:middle}
.badge.pass{background:var(--pass)}.badge.warn{background:var(--warn);color:#1c2430}.badge.fail,.badge.hold,.badge.quarantine{background:var(--fail)}
section{border:1px solid var(--line);border-radius:8px;padding:14px 16px;margin:12px 0}section p{margin:4px 0}
details summary{cursor:pointer;color:var(--dim)}.example{border-top:1px solid var(--line);padding:8px 0}.place{font-size:13px}
.evidence th{color:var(--dim);font-weight:500;width:80px}.evidence td,.evidence th{border:0;padding:2px 10px 2px 0}
.evidence td.ids{width:48%}code,pre{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{background:var(--box);border-radius:3px;padding:1px 4px}code.differs{background:var(--fail);color:#fff}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;background:var(--box);border-radius:4px;padding:2px 6px;max-height:14em;overflow:auto}
`;
