// Approvals in a real browser: a person decides about real calls.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Target, UpstreamConfig } from '../../../gateway/src/config/gateway-config.js'
import { asked } from '../../../gateway/test/support/approval-requests.js'
import {
  ask,
  child,
  client,
  folder,
  pending,
  program,
  storeIn,
  until,
  upstreamConfig,
  words,
} from '../../../gateway/test/support/running-gateway.js'
import { howMany } from '../../../toolwire/test/soak.js'
import { inBrowser, newcomer, visitor } from '../browser.js'
import { enter, type Place, place } from '../gateway.js'
import { turnTo } from '../views.js'

const justShown = 'Not yet: the call has only just appeared.'
const withProgress = { onProgress: () => undefined }
const refused = /^console: .*status of 409/

const notesIn = (file: string): UpstreamConfig =>
  upstreamConfig('notes', { ...child(program('notes-server.mjs')), env: { NOTES_FILE: file } } as Target)

/** A pending call, and a person who has its page open. */
async function openPendingCall(args: object = { text: 'hi' }, gateway?: Place) {
  const there = gateway ?? (await place())
  const one = await client(there.url)
  const call = one.call('notes__write', { ...args }, withProgress)
  call.catch(() => undefined) // a call that stays pending is cancelled when its client closes
  const { id } = await pending(there)
  const person = await visitor()
  const page = await enter(person, there)
  await page.goto(`${there.home}/#/approvals/${id}`)
  await page.getByRole('heading', { name: 'Arguments as sent' }).waitFor()
  return { gateway: there, one, call, id, person, page }
}

/** Simulates that the window gains or loses the focus. */
const setFocus = (page: Page, hasFocus: boolean): Promise<void> =>
  page.evaluate((is) => {
    Object.defineProperty(document, 'hasFocus', { value: () => is, configurable: true })
    dispatchEvent(new Event(is ? 'focus' : 'blur'))
  }, hasFocus)

/** Gives the window the focus, and clicks in the same task. */
const lookAndClick = (page: Page): Promise<void> =>
  page.evaluate(() => {
    Object.defineProperty(document, 'hasFocus', { value: () => true, configurable: true })
    dispatchEvent(new Event('focus'))
    const button = document.querySelector('.allow')
    for (const kind of ['pointerdown', 'pointerup']) button?.dispatchEvent(new PointerEvent(kind, { bubbles: true }))
    button?.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 }))
  })

const allowButton = (page: Page) => page.getByRole('button', { name: 'Allow once' })
const waitUntilReady = (page: Page) => page.locator('.allow:not([aria-disabled])').waitFor()
const pastStates = async (gateway: Place) =>
  ((await ask(gateway, '/approvals?past=10')).body.past as { state: string; by?: string }[]).map(({ state }) => state)
const isPending = async (gateway: Place) => ((await ask(gateway, '/approvals')).body.total as number) === 1

inBrowser('a pending call', () => {
  it('runs after two steps with the keyboard, with exactly the arguments that were shown', async () => {
    const file = join(folder(), 'notes')
    const { call, page, gateway } = await openPendingCall({ text: 'hi\u202e there' }, await place({ upstreams: [notesIn(file)] }))
    await page.getByText('⟨U+202E⟩').first().waitFor()
    await waitUntilReady(page)
    await page.keyboard.press('a')
    await page.getByText('Sure?').waitFor()
    await page.keyboard.press('Control+Enter')
    await call
    expect(readFileSync(file, 'utf8')).toBe('hi\u202e there\n')
    await page.getByText('Allowed by you').waitFor()
    expect(await page.locator('.deciding button').count()).toBe(0)
    expect(await pastStates(gateway)).toEqual(['released'])
  })

  it('runs after a click', async () => {
    const { call, page } = await openPendingCall()
    await waitUntilReady(page)
    await allowButton(page).click()
    expect(words(await call)).toBe('written: hi')
  })

  it('expires by the clock of the gateway, not by that of the browser', async () => {
    const gateway = await place()
    const one = await client(gateway.url)
    const call = one.call('notes__write', { text: 'hi' }, withProgress)
    const { id } = await pending(gateway)
    const person = await newcomer()
    await person.context.addInitScript(() => {
      const { now } = Date
      Date.now = () => now() + 3_600_000
    })
    const page = await enter(person, gateway)
    await page.goto(`${gateway.home}/#/approvals/${id}`)
    await expect.poll(() => page.locator('.time-left time').textContent()).toMatch(/^\d:\d\d$/)
    await waitUntilReady(page)
    await allowButton(page).click()
    expect(words(await call)).toBe('written: hi')
  })

  it('is denied with a reason that the caller reads', async () => {
    const { call, page } = await openPendingCall()
    await waitUntilReady(page)
    await page.keyboard.press('d')
    await page.keyboard.type('jade and akin: not on a Sunday')
    await page.keyboard.press('Enter')
    expect(words(await call)).toContain('jade and akin: not on a Sunday')
    await page.getByText('Denied by you').waitFor()
  })

  it('is not allowed by stray keys, by keys that are held down, or by keys pressed before it was shown', async () => {
    const { page, gateway } = await openPendingCall()
    await waitUntilReady(page)
    await setFocus(page, false)
    await page.keyboard.press('a')
    await page.keyboard.press('Control+Enter')
    await setFocus(page, true)
    await waitUntilReady(page)
    await allowButton(page).focus()
    for (const key of ['Enter', 'Enter', 'Space', 'Space', 'y', 'Escape', 'Control+Enter', 'Enter'])
      await page.keyboard.press(key)
    await page.keyboard.press('Escape')
    await page.keyboard.down('Control')
    await page.keyboard.down('Enter')
    await page.keyboard.down('Enter')
    await page.keyboard.press('a')
    await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    await page.keyboard.up('Control')
    expect(await isPending(gateway)).toBe(true)
  })

  it('is not allowed by a click before the page and the window have been visible for half a second', async () => {
    const { page, gateway } = await openPendingCall()
    await waitUntilReady(page)
    await setFocus(page, false)
    await allowButton(page).click({ force: true })
    await page.getByText(justShown).waitFor()
    await lookAndClick(page)
    expect(await page.getByText(justShown).count()).toBe(1)
    expect(await isPending(gateway)).toBe(true)
    // A long press does not count, either, if it began too early.
    await waitUntilReady(page)
    await allowButton(page).hover()
    await setFocus(page, false)
    await page.mouse.down()
    await setFocus(page, true)
    await waitUntilReady(page)
    await page.mouse.up()
    await page.getByText('Not yet: you pressed too early').waitFor()
    expect(await isPending(gateway)).toBe(true)
    await allowButton(page).click()
    await page.getByText('Allowed by you').waitFor()
  })

  it('of more than 4 KiB cannot be allowed until all of its arguments have been on the screen', async () => {
    const text = Array.from({ length: 300 }, (_, line) => `line ${line} of many`).join('\n')
    const { call, page, gateway } = await openPendingCall({ text })
    await page.getByText('The arguments are long.').waitFor()
    await page.waitForTimeout(700)
    await page.keyboard.press('a')
    await page.keyboard.press('Control+Enter')
    await allowButton(page).click({ force: true })
    await page.getByText('Not yet: you have not seen all of 1 argument').waitFor()
    await page.getByRole('button', { name: 'Show all:' }).click()
    await page.keyboard.press('End')
    await page.waitForTimeout(300)
    expect(await page.locator('.read-first.done').count()).toBe(0)
    expect(await isPending(gateway)).toBe(true)
    await until(async () => {
      await page.keyboard.press('u')
      return (await page.locator('.read-first.done').count()) > 0
    })
    await waitUntilReady(page)
    await page.keyboard.press('a')
    await page.keyboard.press('Control+Enter')
    expect(words(await call)).toBe(`written: ${text}`)
  })
})

inBrowser('a call that is decided elsewhere', () => {
  it('shows the decision at once in place, and removes the buttons', async () => {
    const { page, gateway, id, call } = await openPendingCall()
    await waitUntilReady(page)
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'deny', reason: 'no' } })
    await page.getByText('Denied by operator').waitFor()
    expect(await page.locator('.deciding button').count()).toBe(0)
    expect((await call).isError).toBe(true)
  })

  it('is decided once, and the second person sees the decision of the first', async () => {
    const { page, gateway, id, call, person } = await openPendingCall()
    person.allow(refused)
    const other = await visitor()
    other.allow(refused)
    const theirs = await enter(other, gateway)
    await theirs.goto(`${gateway.home}/#/approvals/${id}`)
    await Promise.all([waitUntilReady(page), waitUntilReady(theirs)])
    const tabs = [page, theirs]
    // The event may reach the later tab before its click and remove the button there.
    await Promise.all(tabs.map((tab) => tab.evaluate(() => document.querySelector<HTMLElement>('.allow')?.click())))
    const whoAllowed = async (tab: Page) => /Allowed by (you|console:\w+)/.exec(await tab.locator('.ended-note').innerText())?.[1]
    await expect
      .poll(async () => (await Promise.all(tabs.map(whoAllowed))).sort())
      .toEqual([expect.stringMatching(/^console:/), 'you'])
    expect(words(await call)).toBe('written: hi')
  })

  it('ends when the caller cancels it', async () => {
    const { page, gateway } = await openPendingCall()
    const gone = new AbortController()
    const late = (await client(gateway.url)).call('notes__write', { text: 'late' }, { ...withProgress, signal: gone.signal })
    await until(async () => ((await ask(gateway, '/approvals')).body.total as number) === 2)
    late.catch(() => undefined)
    await page.locator('.call-line').nth(1).waitFor()
    await page.keyboard.press('j')
    await page.locator('.argument-value', { hasText: 'late' }).waitFor()
    gone.abort()
    await expect(late).rejects.toThrow()
    await page.getByText('The caller gave up').waitFor()
    expect(await page.locator('.deciding button').allTextContents()).toEqual(['Next call'])
  })
})

inBrowser('a call under rules that change while it is shown', () => {
  it('can no longer be allowed, and says why; a call requested under the new rules can', async () => {
    const file = join(folder(), 'policy.yaml')
    writeFileSync(file, 'rules:\n  - { name: writing, when: { tool: "*write" }, decision: ask }\n')
    const { page, gateway, one } = await openPendingCall({ text: 'before' }, await place({ policy: file }))
    await page.getByRole('link', { name: 'writing' }).waitFor()
    await waitUntilReady(page)
    writeFileSync(file, 'rules:\n  - { name: all writing, when: { tool: "*write" }, decision: ask }\n')
    await page.getByText('The rules have changed since the request').waitFor()
    expect(await allowButton(page).count()).toBe(0)
    await page.keyboard.press('a')
    await page.keyboard.press('Control+Enter')
    const again = one.call('notes__write', { text: 'after' }, withProgress)
    await page.locator('.call-line', { hasText: 'after' }).click()
    await waitUntilReady(page)
    await allowButton(page).click()
    expect(words(await again)).toBe('written: after')
    expect(await isPending(gateway)).toBe(true)
  })
})

inBrowser('a call of a tool that changes while it is shown', () => {
  it('can no longer be allowed, even by a page that does not know of the change yet', async () => {
    const dataDir = join(folder(), 'data')
    const store = await storeIn(dataDir)
    const gateway = await place({ dataDir, options: { store } })
    const { page, person } = await openPendingCall({ text: 'hi' }, gateway)
    person.allow(refused)
    await waitUntilReady(page)
    await page.route('**/api/v1/events', (route) => route.abort())
    const changed = upstreamConfig('notes', child(program('notes-server.mjs'), 'changed'), { trusted: true })
    await gateway.change({ ...gateway.config, upstreams: [changed] })
    await until(async () => ((await ask(gateway, '/approvals')).body.approvals as { changed?: boolean }[])[0]?.changed === true)
    const button = allowButton(page)
    if ((await button.count()) > 0) await button.click({ timeout: 1_000 }).catch(() => undefined)
    await page.getByText('so the call cannot be allowed').waitFor()
    expect(await allowButton(page).count()).toBe(0)
    expect(await isPending(gateway)).toBe(true)
  })
})

inBrowser('a flood of pending calls', () => {
  it('shows a part of each group, the destructive group first, and can be denied in one step', async () => {
    const dataDir = join(folder(), 'data')
    const store = await storeIn(dataDir)
    const harmless = { readOnly: false, destructive: false, idempotent: false, openWorld: true }
    const spam = { tool: { name: 'spam', definitionHash: 'sha256:0' }, hints: harmless }
    const many = Array.from({ length: howMany(2_000, 10_000) - 10 }, () => asked(spam))
    const all = many.length.toLocaleString('en')
    const grave = Array.from({ length: 10 }, () => asked())
    await Promise.all([...many, ...grave].map((one) => store.approvals.add(one, 10_000)))
    const gateway = await place({ dataDir, options: { store } })
    const person = await visitor()
    const page = await enter(person, gateway)
    await page.goto(`${gateway.home}/#/approvals`)
    await page.locator('.pending-call').waitFor()
    expect(await page.locator('.call-group h2').allTextContents()).toEqual(['send', 'spam'])
    expect(await page.locator('.call-line').count()).toBeLessThanOrEqual(10)
    await page
      .locator('.call-group', { hasText: 'spam' })
      .getByRole('button', { name: /Show more/ })
      .click()
    await expect.poll(() => page.locator('.call-line').count()).toBeGreaterThan(40)
    await page.getByRole('button', { name: `Deny all ${all} …` }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('a flood')
    await page.getByRole('button', { name: 'Deny all', exact: true }).click()
    await page.getByText(`Denied ${all} calls`).waitFor()
    await expect.poll(async () => (await ask(gateway, '/approvals')).body.total).toBe(10)
    await page.goto(`${gateway.home}/#/approvals?show=decided`)
    await page.getByText('a flood').first().waitFor()
  })
})

inBrowser('a standing approval', () => {
  it('lets matching calls through, is listed, and can be revoked', async () => {
    const { page, gateway, one, call } = await openPendingCall({ text: 'again' })
    await page.getByRole('button', { name: 'Always allow' }).click()
    await page.getByText('"const": "again"').waitFor()
    await page.getByLabel('For', { exact: true }).selectOption('15 minutes')
    await waitUntilReady(page)
    await page.keyboard.press('a')
    await page.keyboard.press('Control+Enter')
    expect(words(await call)).toBe('written: again')
    expect(words(await one.call('notes__write', { text: 'again' }))).toBe('written: again')
    const other = one.call('notes__write', { text: 'other' }, withProgress)
    await pending(gateway)
    await page.goto(`${gateway.home}/#/approvals?show=always`)
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No standing approvals').waitFor()
    expect((await ask(gateway, '/grants')).body.grants).toEqual([])
    const { id } = await pending(gateway)
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'deny' } })
    expect((await other).isError).toBe(true)
  })
})

inBrowser('a queue of calls', () => {
  it('opens the next call after each decision on the page, and stays on a call that another person decides', async () => {
    const gateway = await place()
    const one = await client(gateway.url)
    const calls = ['first', 'second', 'third', 'fourth'].map((text) => one.call('notes__write', { text }, withProgress))
    for (const call of calls) call.catch(() => undefined) // the await below reports a failure
    await until(async () => ((await ask(gateway, '/approvals')).body.total as number) === 4)
    const page = await enter(await visitor(), gateway)
    await page.goto(`${gateway.home}/#/approvals`)
    const waiting = (await ask(gateway, '/approvals')).body.approvals as { id: string; arguments: { text: string } }[]
    // Calls of the same millisecond have an order that only the page determines.
    const lines = page.locator('.call-line-arguments')
    await lines.nth(3).waitFor()
    const order = (await lines.allInnerTexts()).map((line) => line.replace('text=', ''))
    const idOf = (text = '') => waiting.find((one) => one.arguments.text === text)?.id
    const at = async (place: number) => {
      await page
        .getByRole('article')
        .getByText(order[place] ?? '', { exact: true })
        .first()
        .waitFor()
      await waitUntilReady(page)
    }
    await at(0)
    await page.keyboard.press('a')
    await page.keyboard.press('Control+Enter')
    await at(1)
    // A key pressed at once does not allow the call that has just appeared.
    expect(await pastStates(gateway)).toHaveLength(1)
    await page.keyboard.press('d')
    await page.keyboard.type('no')
    await page.keyboard.press('Enter')
    await at(2)
    await ask(gateway, `/approvals/${idOf(order[2])}`, { body: { decision: 'deny' } })
    await page.getByRole('article').getByText('Denied by operator').waitFor()
    await page.getByRole('button', { name: `text=${order[3]}` }).click()
    await at(3)
    await allowButton(page).click()
    await page.getByText('Allowed by you').waitFor()
    expect((await Promise.all(calls)).map(({ isError }) => isError === true).sort()).toEqual([false, false, true, true])
  })
})

/** Clicks the Allow button in the moment in which it appears. */
const pressAtOnce = (page: Page): Promise<void> =>
  page.evaluate(() => {
    new MutationObserver((_, observer) => {
      const button = document.querySelector('.allow')
      if (!button) return
      observer.disconnect()
      for (const kind of ['pointerdown', 'pointerup']) button.dispatchEvent(new PointerEvent(kind, { bubbles: true }))
      button.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 }))
    }).observe(document.body, { childList: true, subtree: true })
  })

inBrowser('a call that comes after the last decision', () => {
  it.each([
    'page',
    'heading',
  ])('is opened after a decision, and must be visible for a moment before it can be allowed; the focus was on the %s', async (place) => {
    const { page, one, call, gateway } = await openPendingCall({ text: 'first' })
    await waitUntilReady(page)
    await page.evaluate((isHeading) => {
      if (isHeading) document.querySelector('h1')?.focus()
      else if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    }, place === 'heading')
    await page.keyboard.press('a')
    await page.keyboard.press('Control+Enter')
    await call
    await page.getByText('Allowed by you. No other call is pending.').waitFor()
    await pressAtOnce(page)
    const later = one.call('notes__write', { text: 'later' }, withProgress)
    await page.getByRole('article').getByText('later', { exact: true }).first().waitFor()
    await waitUntilReady(page)
    expect(await isPending(gateway)).toBe(true)
    expect(await page.evaluate(() => document.activeElement?.localName)).toBe('article')
    await allowButton(page).click()
    expect(words(await later)).toBe('written: later')
  })

  it('waits behind a button if another person decided, because this person may be about to press another button', async () => {
    const { page, one, call, id, gateway } = await openPendingCall({ text: 'first' })
    await waitUntilReady(page)
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'deny' } })
    await call
    await page.getByText('Denied by operator. No other call is pending.').waitFor()
    const later = one.call('notes__write', { text: 'later' }, withProgress)
    const next = page.getByRole('button', { name: 'Next call' })
    await next.waitFor()
    expect(await page.locator('.allow').count()).toBe(0)
    await next.click()
    await waitUntilReady(page)
    await page.keyboard.press('a')
    await page.keyboard.press('Control+Enter')
    expect(words(await later)).toBe('written: later')
  })
})

inBrowser('a late response to a decision', () => {
  it.each(['live', 'approvals?show=decided'])('does not navigate away from a view opened since: %s', async (way) => {
    const gateway = await place()
    const one = await client(gateway.url)
    const calls = ['one', 'two'].map((text) => one.call('notes__write', { text }, withProgress))
    await until(async () => ((await ask(gateway, '/approvals')).body.total as number) === 2)
    const { id } = await pending(gateway)
    const page = await enter(await visitor(), gateway)
    await turnTo(page, `approvals/${id}`)
    let answer = () => {}
    const isAsked = new Promise<void>((resolve) => {
      void page.route(`**/approvals/${id}`, async (route) => {
        if (route.request().method() !== 'POST') return route.continue()
        resolve()
        await new Promise<void>((go) => {
          answer = go
        })
        return route.continue()
      })
    })
    await waitUntilReady(page)
    await allowButton(page).click()
    await isAsked
    await turnTo(page, way)
    const answered = page.waitForResponse((response) => response.request().method() === 'POST')
    answer()
    await (await answered).finished()
    // The page reads the response and renders.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
    expect(new URL(page.url()).hash).toBe(`#/${way}`)
    await ask(gateway, '/approvals/deny-all', { body: {} })
    await Promise.all(calls)
  })
})

inBrowser('the claims of a server about its tools', () => {
  it('are marked as unverified unless the server is trusted, and are red only for tools that claim to be destructive', async () => {
    const shop = (id: string, trusted: boolean) =>
      upstreamConfig(id, child(join(import.meta.dirname, 'claims-server.mjs')), { trusted })
    const gateway = await place({ upstreams: [shop('known', true), shop('stranger', false)] })
    const one = await client(gateway.url)
    for (const server of ['known', 'stranger'])
      for (const tool of ['says_nothing', 'destroys', 'adds'])
        void one.call(`${server}__${tool}`, {}, withProgress).catch(() => undefined)
    await until(async () => ((await ask(gateway, '/approvals')).body.total as number) === 6)
    const page = await enter(await visitor(), gateway)
    await page.goto(`${gateway.home}/#/approvals`)
    await page.locator('.call-group').nth(5).waitFor()
    const badges = await page.locator('.call-group header').evaluateAll((all) =>
      all.map((head) => {
        const badge = head.querySelector('.badge')
        return [head.querySelector('h2')?.textContent, badge?.textContent, badge?.classList.contains('danger')].join(' | ')
      }),
    )
    expect(badges.sort()).toEqual([
      'known__adds | writes | false',
      'known__destroys | destructive | true',
      'known__says_nothing | not said | false',
      'stranger__adds | writes · unverified | false',
      'stranger__destroys | destructive · unverified | true',
      'stranger__says_nothing | not said | false',
    ])
    await one.close()
  })
})
