// Login links, and the sessions that they begin.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { openConsoleInBrowser } from '../../../gateway/src/cli/open-browser.js'
import { ask, folder } from '../../../gateway/test/support/running-gateway.js'
import { inBrowser, visitor } from '../browser.js'
import { enter, place } from '../gateway.js'
import { askFrom, keyOf } from '../requests.js'

const minute = 60_000
const refused = /^console: .*status of 40[13]/
const needsLink = 'toolwire console'

inBrowser('a link to the console', () => {
  it('lets one browser in, once, and disappears from its address and history', async () => {
    const gateway = await place()
    const link = gateway.link()
    const person = await visitor()
    const page = await enter(person, { ...gateway, link: () => link })
    await page.waitForURL((url) => !url.hash.includes('login'))
    expect((await askFrom(page, '/api/v1/status', { key: await keyOf(page) })).body).toMatchObject({ status: 'ok' })
    await page.goBack()
    expect(page.url()).not.toContain('login')
    const other = await visitor()
    other.allow(refused)
    const late = await other.open(link)
    await late.getByText(needsLink).first().waitFor()
    expect(await other.context.cookies()).toEqual([])
    expect((await askFrom(late, '/api/v1/status', { key: await keyOf(late) })).status).toBe(401)
  })

  it('lets a browser in that opens the login file, which redirects to the page and disappears from the history', async () => {
    const gateway = await place()
    const home = folder()
    // This machine may lack a program that opens pages, but the file for that program exists anyway.
    await openConsoleInBrowser(gateway.link(), { HOME: home })
    const page = await (await visitor()).openForeign(pathToFileURL(join(home, '.local/share/toolwire/open-in-browser.html')).href)
    await page.waitForURL(`${gateway.home}/#/**`)
    await expect.poll(() => keyOf(page)).not.toBe('')
    expect((await askFrom(page, '/api/v1/status', { key: await keyOf(page) })).body).toMatchObject({ status: 'ok' })
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2)
    await page.reload()
    await expect.poll(async () => (await askFrom(page, '/api/v1/status', { key: await keyOf(page) })).status).toBe(200)
  })

  it('is valid for five minutes', async () => {
    let now = Date.now()
    const gateway = await place({ options: { console: { now: () => now } } })
    const link = gateway.link()
    now += 5 * minute
    const person = await visitor()
    person.allow(refused)
    const page = await person.open(link)
    await page.getByText(needsLink).first().waitFor()
    expect(await person.context.cookies()).toEqual([])
  })

  it('comes from a running gateway, and not from a browser with a session', async () => {
    const gateway = await place()
    const { status, body } = await ask(gateway, '/console/links', { body: {} })
    expect(status).toBe(201)
    const person = await visitor()
    person.allow(refused)
    const page = await enter(person, { ...gateway, link: () => String(body.url) })
    expect((await askFrom(page, '/api/v1/console/links', { method: 'POST', body: {}, key: await keyOf(page) })).status).toBe(403)
  })
})

inBrowser('a session', () => {
  it('has a cookie that is hidden from scripts, from other sites and from other hosts', async () => {
    const gateway = await place()
    const person = await visitor()
    const page = await enter(person, gateway)
    const port = new URL(gateway.home).port
    expect(await person.context.cookies()).toEqual([
      {
        name: `__Host-toolwire-${port}`,
        value: expect.stringMatching(/^[\w-]{43}$/),
        domain: '127.0.0.1',
        path: '/',
        expires: -1,
        httpOnly: true,
        secure: true,
        sameSite: 'Strict',
      },
    ])
    expect(await page.evaluate(() => document.cookie)).toBe('')
  })

  it('needs both the cookie of the browser and the key of the page, from the same session', async () => {
    const gateway = await place()
    const [person, thief] = [await visitor(), await visitor()]
    const page = await enter(person, gateway)
    thief.allow(refused)
    const [cookie] = await person.context.cookies()
    if (!cookie) throw new Error('There is no cookie')
    const theirs = await enter(thief, gateway)
    const [stolen, own] = [await keyOf(page), await keyOf(theirs)]
    const status = async (key?: string) => (await askFrom(theirs, '/api/v1/status', key === undefined ? {} : { key })).status
    expect(await status(own)).toBe(200)
    expect(await status(stolen)).toBe(401)
    await thief.context.clearCookies()
    await thief.context.addCookies([cookie])
    expect([await status(), await status(''), await status(own), await status(stolen)]).toEqual([401, 401, 401, 200])
    expect((await askFrom(theirs, '/session', { method: 'DELETE' })).status).toBe(401)
    expect((await askFrom(page, '/api/v1/status', { key: stolen })).status).toBe(200)
  })

  it('is shared by all tabs', async () => {
    const gateway = await place()
    const person = await visitor()
    const first = await enter(person, gateway)
    const second = await person.open(gateway.home)
    const { body } = await askFrom(second, '/session', { key: await keyOf(second) })
    expect(body).toMatchObject({ id: (await askFrom(first, '/session', { key: await keyOf(first) })).body.id })
    expect(await second.getByText(needsLink).count()).toBe(0)
  })

  it('ends after half an hour without use, together with its streams, and the page says what to do', async () => {
    let now = Date.now()
    const gateway = await place({ options: { console: { now: () => now } } })
    const person = await visitor()
    person.allow(refused)
    const page = await enter(person, gateway)
    const streamed = page.evaluate(
      async (key) => {
        const response = await fetch('/api/v1/events', { headers: { 'x-toolwire-session': key, 'x-toolwire-unattended': '1' } })
        const reader = response.body?.getReader()
        for (let read = await reader?.read(); read && !read.done; read = await reader?.read());
        return 'over'
      },
      await keyOf(page),
    )
    now += 30 * minute
    expect(await streamed).toBe('over')
    await page.reload()
    await page.getByText(needsLink).first().waitFor()
  })

  it('is ended by its user, in all tabs, and from another browser', async () => {
    const gateway = await place()
    const [person, other] = [await visitor(), await visitor()]
    for (const one of [person, other]) one.allow(refused)
    const [page, elsewhere] = [await enter(person, gateway), await enter(other, gateway)]
    const [key, key2] = [await keyOf(page), await keyOf(elsewhere)]
    const { body } = await askFrom(elsewhere, '/session', { key: key2 })
    const path = `/api/v1/console/sessions/${body.id}`
    expect((await askFrom(page, path, { method: 'DELETE', key })).status).toBe(200)
    expect((await askFrom(elsewhere, '/api/v1/status', { key: key2 })).status).toBe(401)
    expect((await askFrom(page, '/session', { method: 'DELETE', key })).status).toBe(200)
    expect((await askFrom(page, '/api/v1/status', { key })).status).toBe(401)
    expect(await person.context.cookies()).toEqual([])
    await page.reload()
    await page.getByText(needsLink).first().waitFor()
  })
})
