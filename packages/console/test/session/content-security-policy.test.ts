// The content security policy in a real browser. If the page had a hole, injected content could still do nothing.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { inBrowser, type Visitor, visitor } from '../browser.js'
import { place } from '../gateway.js'
import { stranger } from '../stranger.js'

/** Opens the page with its real headers and additional markup, as if an attacker had injected it. */
async function openWith(person: Visitor, home: string, markup: string): Promise<Page> {
  const page = await person.tab(home)
  await page.route(`${home}/`, async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replace('</body>', `${markup}</body>`)
    await route.fulfill({ response, body })
  })
  await page.goto(home)
  return page
}

const marks = (page: Page): Promise<unknown> => page.evaluate(() => (globalThis as { marked?: unknown }).marked ?? 'nothing')

inBrowser('the policy of the page', () => {
  it('runs no script but its own files', async () => {
    const { home } = await place()
    const [elsewhere = ''] = await stranger()
    const person = await visitor()
    const page = await openWith(
      person,
      home,
      `<script>globalThis.marked = 'script'</script>
       <script src="data:text/javascript,globalThis.marked='data'"></script>
       <script src="${elsewhere}/x.js"></script>
       <img src="nowhere.png" onerror="globalThis.marked = 'handler'">
       <svg onload="globalThis.marked = 'svg'"></svg>
       <a id="lure" href="javascript:globalThis.marked='address'">here</a>`,
    )
    await page.locator('#lure').dispatchEvent('click')
    const kinds = [
      'script-src-elem inline',
      'script-src-elem data',
      `script-src-elem ${elsewhere}/x.js`,
      'script-src-attr inline',
    ]
    await expect
      .poll(() => kinds.filter((kind) => !person.problems.some((problem) => problem.startsWith(`policy: ${kind}`))))
      .toEqual([])
    expect(await marks(page)).toBe('nothing')
    person.allow(/^policy: /, /^console: /, /^elsewhere: .*\/x\.js$/)
  })

  it('applies no injected style, frame, base or form, and sends nothing to other origins', async () => {
    const { home } = await place()
    const [elsewhere = ''] = await stranger()
    const person = await visitor()
    person.allow(/^policy: /, /^console: /, /^elsewhere: /, /^error: /)
    const page = await openWith(
      person,
      home,
      `<base href="${elsewhere}/"><style>#page { color: rgb(1, 2, 3) }</style><p id="styled" style="color: rgb(1, 2, 3)">text</p>
       <iframe src="${elsewhere}/"></iframe><iframe src="/"></iframe><img src="${elsewhere}/x.png">
       <form id="lure" action="${elsewhere}/" method="post"></form>`,
    )
    const colours = await page.evaluate(() =>
      ['#page', '#styled'].map((selector) => getComputedStyle(document.querySelector(selector) ?? document.body).color),
    )
    expect(colours).not.toContain('rgb(1, 2, 3)')
    expect(await page.evaluate(() => document.baseURI)).toBe(`${home}/`)
    await page.evaluate(() => (document.querySelector('#lure') as HTMLFormElement).submit())
    const sent = await page.evaluate(
      (url) =>
        fetch(url, { mode: 'no-cors' }).then(
          () => 'sent',
          () => 'blocked',
        ),
      `${elsewhere}/?secret`,
    )
    expect(sent).toBe('blocked')
    const kinds = ['base-uri', 'connect-src', 'form-action', 'frame-src', 'img-src', 'style-src-attr', 'style-src-elem']
    const violated = () => new Set(person.reported.map((problem) => /^policy: (\S+)/.exec(problem)?.[1]))
    await expect.poll(() => kinds.filter((kind) => !violated().has(kind))).toEqual([])
    expect(page.url()).toBe(`${home}/`)
  })

  it('lets no text become markup or code', async () => {
    const { home } = await place()
    const person = await visitor()
    person.allow(
      /^policy: (require-trusted-types-for|trusted-types|script-src)/,
      /^console: .*(Trusted|trusted|Content Security)/,
    )
    const page = await person.open(home)
    const refused = await page.evaluate(() => {
      const attempts: Record<string, () => unknown> = {
        innerHTML: () => Object.assign(document.createElement('p'), { innerHTML: '<img src=x onerror=alert(1)>' }),
        outerHTML: () => document.body.insertAdjacentHTML('beforeend', '<b>x</b>'),
        write: () => document.write('<b>x</b>'),
        parser: () => new DOMParser().parseFromString('<b>x</b>', 'text/html'),
        script: () => Object.assign(document.createElement('script'), { text: 'globalThis.marked = 1' }),
        source: () => Object.assign(document.createElement('script'), { src: '/assets/x.js' }),
        frame: () => Object.assign(document.createElement('iframe'), { srcdoc: '<b>x</b>' }),
        policy: () => trusted().createPolicy('mine', {}),
        own: () => trusted().createPolicy('default', { createHTML: (text: string) => text }),
      }
      const trusted = () =>
        (globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } }).trustedTypes
      return Object.entries(attempts).flatMap(([name, attempt]) => {
        try {
          attempt()
          return []
        } catch (thrown) {
          return [`${name}: ${thrown instanceof TypeError}`]
        }
      })
    })
    const names = ['innerHTML', 'outerHTML', 'write', 'parser', 'script', 'source', 'frame', 'policy', 'own']
    expect(refused).toEqual(names.map((name) => `${name}: true`))
    expect(await marks(page)).toBe('nothing')
  })

  it('is obeyed by the page itself', async () => {
    const { home } = await place()
    const person = await visitor()
    const page = await person.open(home)
    await page.getByText('toolwire console').first().waitFor()
    expect(person.reported).toEqual([])
  })
})
