/** Colours of both schemes, then the page from top to bottom. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#5b6572;--line:#d8dee4;--soft:#f5f7f9;--ok:#1a7f37;--bad:#c4232f;--warn:#9a6700;--none:#c3cad2;--badbg:#fdecec;--link:#0a58c2}
@media(prefers-color-scheme:dark){:root{--bg:#0f1318;--fg:#e4e9ee;--dim:#98a3b0;--line:#2c343d;--soft:#171d24;--ok:#3fb55a;--bad:#ff7070;--warn:#dba53a;--none:#46505b;--badbg:#33191c;--link:#6cb0ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:76rem;padding:1.5rem 1rem 4rem;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
h1{font-size:1.6rem;line-height:1.2;margin:0 0 .3rem}
h2{font-size:1.2rem;margin:2.4rem 0 .8rem}
h3{font-size:1rem;margin:1.6rem 0 .5rem}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
p{margin:.3rem 0}
.dim{color:var(--dim)}.small{font-size:.85rem}.num{font-variant-numeric:tabular-nums}
.bad{color:var(--bad)}.ok{color:var(--ok)}.warn{color:var(--warn)}
.banner{border:1px solid var(--bad);border-left-width:5px;background:var(--badbg);border-radius:6px;padding:.5rem .8rem;margin:.8rem 0}
code,pre,.said{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.85em;unicode-bidi:isolate;overflow-wrap:anywhere}
pre{white-space:pre-wrap;background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:.6rem .8rem;margin:.5rem 0;max-height:30rem;overflow:auto}
table{border-collapse:collapse;width:100%;font-size:.93rem}
th,td{text-align:left;vertical-align:top;padding:.45rem .55rem;border-bottom:1px solid var(--line)}
thead th{color:var(--dim);font-weight:500;font-size:.82rem;border-bottom-width:2px;vertical-align:bottom}
.grid td,.grid th{vertical-align:middle}
.grid tbody th{font-weight:600;overflow-wrap:break-word}
.grid tbody th .dim{font-weight:400}
.many tbody th{min-width:10rem;max-width:14rem;line-height:1.3}.many tbody th .dim{display:block}
.many td,.many th{padding:.35rem .45rem}
.many thead .dim{display:block;font-weight:400}
.one tbody th{white-space:nowrap}.one tr.all td,.one tr.all th{border-bottom-width:2px}
.clamp{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
.cell{min-width:3.6rem}.cell b{font-weight:600}.cell .small{display:block;line-height:1.2;white-space:nowrap}.one .share{white-space:nowrap}
.cause{font-size:.85rem;overflow-wrap:anywhere}.grid .cause{min-width:13rem}
.bar{display:block;width:100%;height:6px;border-radius:3px;margin:.2rem 0 .1rem;overflow:hidden;background:var(--line)}
.one .bar{height:10px;border-radius:5px;min-width:7rem;margin:0}
.p{fill:var(--ok)}.f{fill:var(--bad)}.u{fill:var(--none)}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:.6rem 0}.legend svg{width:.8rem;height:.8rem;vertical-align:-.1rem;margin-right:.35rem;border-radius:2px}
.filter{position:sticky;top:0;background:var(--bg);padding:.6rem 0;z-index:2;margin-top:1.4rem;border-bottom:1px solid var(--line);display:flex;gap:.8rem;align-items:center;flex-wrap:wrap}
.filter input{flex:1 1 16rem;max-width:30rem;font:inherit;color:inherit;background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:.4rem .7rem}
details{border:1px solid var(--line);border-radius:6px;margin:.4rem 0;background:var(--bg)}
details>summary{cursor:pointer;padding:.45rem .7rem;overflow-wrap:anywhere}
details>summary:hover{background:var(--soft)}
details[open]>summary{border-bottom:1px solid var(--line)}
.in{padding:.4rem .8rem .6rem}
.group>summary{border-left:4px solid var(--bad);border-radius:5px}
.count{display:inline-block;min-width:1.7rem;text-align:center;background:var(--badbg);color:var(--bad);border-radius:1rem;font-weight:600;font-size:.82rem;padding:0 .45rem;margin-right:.4rem}
.tags a,.tag{display:inline-block;border:1px solid var(--line);border-radius:4px;padding:0 .35rem;font-size:.8rem;margin:.1rem .25rem .1rem 0;white-space:nowrap}
.scroll{overflow-x:auto}
.reqs td:first-child{white-space:nowrap}
tr:target td{background:var(--soft)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem .8rem;margin:.3rem 0}dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}
[hidden]{display:none!important}
@media(max-width:760px){
body{padding:1rem .75rem 3rem}h1{font-size:1.35rem}
.grid thead{display:none}
.grid,.grid tbody,.grid tr,.grid th,.grid td{display:block}
.grid tr{border:1px solid var(--line);border-radius:8px;padding:.5rem .6rem;margin:.6rem 0}
.grid th,.grid td{border:0;padding:.15rem 0}
.many tr{display:grid;grid-template-columns:repeat(5,1fr);gap:.3rem .7rem}
.many tr>th,.many tr>.cause{grid-column:1/-1}
.many tbody th{min-width:0;max-width:none}.many .cell{min-width:0;font-size:.85rem;line-height:1.35}
.many .cell::before{content:attr(data-l);color:var(--dim);font-size:.75rem;display:block}
.one tr{display:grid;grid-template-columns:1fr auto auto;gap:0 .9rem;border:0;border-bottom:1px solid var(--line);border-radius:0;padding:.3rem 0;margin:0}
.one .wide{grid-row:2;grid-column:1/-1}.one .cause{grid-row:3;grid-column:1/-1}
.one .stat{display:none}.one .share{display:block;grid-column:3;grid-row:1}.one .stat.bad{display:block;grid-column:2;grid-row:1}.one .stat.bad::after{content:" failed"}
.grid .cause{min-width:0}.grid .cause:empty{display:none}
.reqs .text{min-width:12rem}
dl{grid-template-columns:1fr}dd{margin-bottom:.3rem}
}
@media print{.filter{display:none}}
`;
