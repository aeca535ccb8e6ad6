// Pages of other sites in a browser with a session. Their requests to the console get no answer and have no effect.
import { expect, it } from 'vitest'
import { ask, client, pending } from '../../../gateway/test/support/running-gateway.js'
import { inBrowser, visitor } from '../browser.js'
import { enter, type Place, place } from '../gateway.js'
import { askFrom, keyOf } from '../requests.js'
import { stranger } from '../stranger.js'
import { witness } from '../witness.js'

/** A pending approval, which an attacker would like to grant. */
async function startPendingCall(gateway: Place): Promise<string> {
  const caller = await client(gateway.url)
  void caller.call('notes__write', { text: 'x' }).catch(() => undefined) // nobody decides
  return (await pending(gateway)).id
}

/** A removed frame shows nothing. */
const gone = () => 0

const origins = ['another port', 'another host'] as const

inBrowser('a page of another origin', () => {
  it.each(origins)('on %s reads nothing and decides nothing, by any request of a script', async (which) => {
    const gateway = await place()
    const id = await startPendingCall(gateway)
    const person = await visitor()
    const { home, answers } = await witness(gateway.home)
    await enter(person, { home, link: () => gateway.link().replace(gateway.home, home) })
    const origin = (await stranger())[origins.indexOf(which)] ?? ''
    const page = await person.openForeign(origin)
    const outcomes = await page.evaluate(
      async ([home, approval]) => {
        const text = JSON.stringify({ decision: 'allow' })
        const send = (tried: string, path: string, init: RequestInit) =>
          fetch(`${home}${path}?tried=${tried}`, { credentials: 'include', ...init }).then(
            ({ type, status }) => `${tried}: ${type} ${status}`,
            () => `${tried}: failed`,
          )
        const plain = { method: 'POST', mode: 'no-cors' } as const
        const stream = new Promise<string>((resolve) => {
          const source = new EventSource(`${home}/api/v1/events?tried=events`, { withCredentials: true })
          source.onopen = () => resolve('events: open')
          source.onerror = () => resolve('events: failed')
        })
        return Promise.all([
          send('read', '/api/v1/status', {}),
          send('blind', '/api/v1/status', { mode: 'no-cors' }),
          send('decide', `/api/v1/approvals/${approval}`, { ...plain, body: text }),
          send('json', `/api/v1/approvals/${approval}`, {
            method: 'POST',
            body: text,
            headers: { 'content-type': 'application/json' },
          }),
          send('key', '/api/v1/status', { headers: { 'x-toolwire-session': 'guessed' } }),
          send('session', '/session', { ...plain, body: JSON.stringify({ token: 'x' }) }),
          send('end', '/session', { method: 'DELETE' }),
          send('link', '/api/v1/console/links', { ...plain, body: '{}' }),
          stream,
        ])
      },
      [home, id] as const,
    )
    expect(outcomes).toEqual(outcomes.map((outcome) => outcome.replace(/: .*/, ': failed')))
    // The preflight of the other requests was refused, so the browser never sent them.
    const tried = ['blind', 'decide', 'events', 'link', 'read', 'session']
    expect([...answers].sort()).toEqual(tried.map((one) => [one, 403]))
    expect((await pending(gateway)).id).toBe(id)
  })

  it.each(origins)('on %s submits no form, shows no frame, and loads no resource of the console', async (which) => {
    const gateway = await place()
    const id = await startPendingCall(gateway)
    const person = await visitor()
    const { home, answers } = await witness(gateway.home)
    const own = await enter(person, { home, link: () => gateway.link().replace(gateway.home, home) })
    const origin = (await stranger())[origins.indexOf(which)] ?? ''
    const page = await person.openForeign(origin)
    await page.evaluate(
      ([home, approval]) => {
        const put = (name: string, attributes: Record<string, string>) => {
          const element = Object.assign(document.createElement(name), attributes)
          document.body.append(element)
          return element
        }
        put('iframe', { src: `${home}/?tried=frame` })
        put('object', { data: `${home}/?tried=object` })
        put('img', { src: `${home}/icon.svg?tried=image` })
        put('script', { src: `${home}/api/v1/status?tried=script` })
        put('link', { rel: 'stylesheet', href: `${home}/icon.svg?tried=style` })
        put('iframe', { name: 'hidden' })
        const form = put('form', { method: 'post', enctype: 'text/plain', target: 'hidden' }) as HTMLFormElement
        form.action = `${home}/api/v1/approvals/${approval}?tried=form`
        const field = Object.assign(document.createElement('input'), { name: '{"decision":"allow","reason":"', value: '"}' })
        form.append(field)
        form.submit()
      },
      [home, id] as const,
    )
    const all = ['form', 'frame', 'image', 'object', 'script', 'style']
    await expect.poll(() => [...answers.keys()].sort()).toEqual(all)
    expect([...answers.values()]).toEqual(all.map(() => 403))
    const frames = page.frames().filter((frame) => frame !== page.mainFrame())
    const shown = await Promise.all(frames.map((frame) => frame.locator('#page').count().catch(gone)))
    expect(shown).toEqual(frames.map(() => 0))
    expect((await pending(gateway)).id).toBe(id)
    expect((await askFrom(own, '/api/v1/status', { key: await keyOf(own) })).status).toBe(200)
  })

  it.each(origins)('on %s cannot open the console in a window, nor submit a form to it', async (which) => {
    const gateway = await place()
    const person = await visitor()
    const { home, answers } = await witness(gateway.home)
    await enter(person, { home, link: () => gateway.link().replace(gateway.home, home) })
    const origin = (await stranger())[origins.indexOf(which)] ?? ''
    const page = await person.openForeign(origin)
    const opened = page.waitForEvent('popup')
    await page.evaluate((url) => void open(url), `${home}/?tried=window`)
    const popup = await opened
    // The popup is empty at first, and counts as loaded then, too.
    await expect.poll(() => answers.get('window')).toBe(403)
    await popup.waitForURL(`${home}/**`)
    expect(await popup.locator('#page').count()).toBe(0)
    await page.goto(`${origin}/again`)
    const submitted = page.waitForResponse((response) => response.url().startsWith(home))
    await page.evaluate((action) => {
      const form = Object.assign(document.createElement('form'), { method: 'post', action })
      document.body.append(form)
      form.submit()
    }, `${home}/session?tried=form`)
    expect((await submitted).status()).toBe(403)
  })

  it('under another name of this machine gets no page and no answer', async () => {
    const gateway = await place()
    const person = await visitor()
    await enter(person, gateway)
    const { port } = new URL(gateway.home)
    const page = await person.openForeign(`http://rebound.example:${port}/`)
    expect(await page.locator('#page').count()).toBe(0)
    // For the browser, this page and the console have the same origin.
    expect((await askFrom(page, '/api/v1/status', {})).status).toBe(403)
    expect((await askFrom(page, '/session', { method: 'POST', body: { token: gateway.link().split('=')[1] } })).status).toBe(403)
    expect((await ask(gateway, '/console/sessions')).body.sessions).toHaveLength(1)
  })
})
