// Hostile text in every place where the page shows text of others. The page shows the text and does nothing else with it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Client } from 'toolwire/client'
import type { AuditOutcome } from 'toolwire/guard'
import { expect, it } from 'vitest'
import { defaultGuard } from '../../../gateway/src/config/gateway-config.js'
import { asked } from '../../../gateway/test/support/approval-requests.js'
import { ask, client, folder } from '../../../gateway/test/support/running-gateway.js'
import { append, intentOf, outcomeOf } from '../../../gateway/test/support/stores.js'
import { inBrowser, visitor } from '../browser.js'
import { outcome } from '../exposed/library.js'
import { enter, type Place, place } from '../gateway.js'
import { turnTo } from '../views.js'
import { all, hostile, hostileName, markup, names, odd, programs, seen, unseen } from './hostile-words.js'
import { expectShown } from './page-checks.js'
import { teller } from './teller.js'

/** The guard is off, so that the page gets the text unchanged. */
const guard = { ...defaultGuard, approvals: false, rate: false, lists: false, sanitize: false, pins: false } as const
const operator = { authorization: 'Bearer the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd' }
const keyed = { callers: { loopback: true, apiKeys: true }, apiKey: 'the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd' }
const sets = { [hostile('set')]: ['*shows*'], '__proto__ ': ['*'] }
/** The texts without hidden or special characters. */
const plain = [...markup, ...programs, ...names, ...odd].filter((text) => !/[^\n\t -~]/.test(text) && text.trim() !== '')

async function open(more: Parameters<typeof place>[0] = {}) {
  const gateway = await place({ upstreams: [teller()], sets, guard, ...keyed, ...more })
  const person = await visitor()
  await person.context.setExtraHTTPHeaders({ 'user-agent': `<x-hostile onclick=alert('agent')>` })
  const page = await enter(person, gateway)
  const go = async (way: string) => {
    await turnTo(page, way)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
  return { gateway, person, page, go }
}

/** A caller with a hostile name. */
async function caller(gateway: Place): Promise<Client> {
  const { body } = await ask(gateway, '/keys', { body: { caller: hostileName('caller') }, headers: operator })
  return client(gateway.url, { headers: { authorization: `Bearer ${body.key}` } })
}

const nameOf = (gateway: Place, tool: string): string =>
  encodeURIComponent(gateway.control.tools().find(({ name }) => name.includes(tool))?.name ?? '')
/** Presses the buttons with this name until none is left. */
async function unfold(page: Page, name: string | RegExp): Promise<void> {
  const more = page.getByRole('button', { name })
  while ((await more.count()) > 0) await more.first().click()
}

const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click()

inBrowser('hostile text is shown as text', () => {
  it('in a tool, its schema and its server', async () => {
    const { gateway, page, go } = await open()
    await go('exposed')
    await expectShown(page, [seen('tool title'), seen('server'), ...plain])
    await go('exposed?by=set')
    await expectShown(page, [seen('set')])
    await go(`exposed/${nameOf(gateway, 'shows')}`)
    const fields = ['property', 'field title', 'field description', 'choice', 'either', 'default', 'output', 'about output']
    await expectShown(page, [seen('tool title'), seen('tool description'), ...fields.map(seen), ...plain])
    await tab(page, 'Definition')
    await expectShown(page, [seen('schema title'), seen('claimed title'), seen('example'), ...markup.slice(0, 4)])
    await tab(page, 'Try it')
    await expectShown(page, ['field title', 'field description', 'choice', 'either'].map(seen))
  })

  it('in a definition that has changed', async () => {
    const dataDir = join(folder(), 'data')
    const pinned = { dataDir, guard: { ...guard, pins: true } }
    const before = await place({ upstreams: [teller()], sets, ...keyed, ...pinned })
    await before.close({ drainMs: 0 })
    const { gateway, page, go } = await open({ upstreams: [teller(`\n${hostile('added')}`)], ...pinned })
    for (const name of ['shows', 'asks']) {
      await go(`exposed/${nameOf(gateway, name)}`)
      await page.getByRole('button', { name: 'Accept this definition' }).waitFor()
      await unfold(page, 'Show all:')
      await expectShown(page, [seen('added')])
    }
  })

  it('in the results of a call', async () => {
    const { gateway, page, go } = await open()
    await go(`exposed/${nameOf(gateway, 'shows')}?tab=try`)
    await page.getByLabel('Raw JSON').fill(JSON.stringify({ [hostile('property')]: hostile('given') }))
    await page.getByRole('button', { name: /^Call/ }).click()
    await outcome(page, 'Answered')
    await unfold(page, /^Show more/)
    const results = ['link name', 'link title', 'link description', 'resource uri', 'resource text', 'image type', 'audio type']
    await expectShown(page, [...results, 'annotated', 'progress', 'column'].map(seen))
    await expectShown(page, plain)
    await tab(page, 'Tree')
    await expectShown(page, ['key', 'value'].map(seen))
    await tab(page, 'JSON')
    await expectShown(page, ['key', 'value', 'column'].map(seen))
    await go(`exposed/${nameOf(gateway, 'fails')}?tab=try`)
    await page.getByRole('button', { name: /^Call/ }).click()
    await expectShown(page, [seen('error')])
    await go(`exposed/${nameOf(gateway, 'asks')}?tab=try`)
    await page.getByRole('button', { name: /^Call/ }).click()
    await expectShown(page, ['question', 'asked title', 'asked description'].map(seen))
  })

  it('in a running call, and in finished calls', async () => {
    const { gateway, page, go } = await open()
    await go('live')
    const one = await caller(gateway)
    const [waits, fails] = ['waits', 'fails'].map((name) => decodeURIComponent(nameOf(gateway, name)))
    const gone = new AbortController()
    const args = { [hostile('argument')]: hostile('argument value'), list: [...plain.slice(0, 10)] }
    const options = { onProgress: () => undefined, signal: gone.signal }
    const call = one.call(waits ?? '', args, options).catch(() => undefined)
    await one.call(fails ?? '').catch(() => undefined)
    await expectShown(page, [seen('progress'), hostileName('caller'), seen('argument'), seen('server')])
    await page.getByRole('grid', { name: 'Running calls' }).getByText('teller__waits').click()
    await page.getByRole('dialog').waitFor()
    await expectShown(page, [seen('argument value'), ...plain.slice(0, 10)])
    await page.keyboard.press('Escape')
    gone.abort()
    await call
    await go('?by=caller&range=15m')
    // The chart draws a call when the step of the call is over.
    await page.locator('.legend').first().waitFor()
    await expectShown(page, [hostileName('caller'), seen('server')])
  })

  it('in a pending call, and in decided calls', async () => {
    const { gateway, person, page, go } = await open()
    // No call has this id.
    person.allow(/status of 404/)
    const { approvals } = gateway.control.store
    const tool = {
      name: hostile('name'),
      title: hostile('title'),
      description: hostile('description'),
      definitionHash: 'sha256:0',
    }
    const args = Object.fromEntries([...all.entries()].map(([at, text]) => [`${at}${text}`, text]))
    const about = { tool, server: hostile('server'), caller: hostile('asker'), expiresAt: Date.now() + 3_600_000 }
    const first = asked({ ...about, arguments: { [hostile('argument')]: hostile('sent'), list: [...all], ...args } })
    await approvals.add(first, 100)
    for (const text of unseen) await approvals.add(asked({ ...about, arguments: { text } }), 100)
    await go(`approvals/${first.id}`)
    await page.getByRole('heading', { name: 'Arguments as sent' }).waitFor()
    await unfold(page, 'Show all:')
    await expectShown(page, [
      ...['name', 'asker', 'argument', 'sent'].map(seen),
      'pay ⟨U+202E⟩0001⟨U+202C⟩',
      ...plain.slice(0, 8),
    ])
    const body = { decision: 'deny', reason: hostile('reason') }
    expect((await ask(gateway, `/approvals/${first.id}`, { body, headers: operator })).status).toBe(200)
    await expectShown(page, [seen('name')])
    await go('approvals?show=decided')
    await page.locator('summary', { hasText: 'asker' }).first().click()
    await expectShown(page, [...['name', 'asker', 'sent'].map(seen), `reason <x-hostile onclick=alert('reason')>`])
    await go(`approvals/${encodeURIComponent(hostile('id'))}`)
    await expectShown(page, [])
    await go('approvals?show=always')
    await expectShown(page, [])
  })

  it('in the log, in its records, and in the search for records', async () => {
    const { gateway, person, page, go } = await open()
    const { store } = gateway.control
    for (const [at, text] of [...all, hostile('recorded')].entries()) {
      const fields = { at: Date.now(), tool: text, caller: text, server: text }
      const refused = { decision: 'refused', outcome: 'error', reason: text } as Partial<AuditOutcome> // no reason there is, as an odd program may write it
      await append(store, intentOf(at, { ...fields, arguments: { [text]: text } }), outcomeOf(at, { ...fields, ...refused }))
    }
    await go('audit')
    await expectShown(page, [seen('recorded'), '"quotes"'])
    await page.getByRole('grid', { name: 'Calls in the log' }).getByText('recorded <x-hostile').nth(1).click()
    await page.getByRole('complementary', { name: /^Record/ }).waitFor()
    await expectShown(page, [seen('recorded')])
    for (const text of [...markup.slice(0, 6), '__proto__', `%' OR 1=1 --`]) {
      await page.getByLabel('Anywhere in the record').fill(text)
      await page.keyboard.press('Enter')
      await expect.poll(() => page.url()).toContain(new URLSearchParams({ text }).toString())
      await expectShown(page, [text])
    }
    person.allow(/status of 400/)
    for (const strange of [
      `audit/${encodeURIComponent(markup[0] ?? '')}`,
      `audit?outcome=${encodeURIComponent(markup[2] ?? '')}`,
    ]) {
      await go(strange)
      await expectShown(page, [])
    }
  })

  it('in the rules, in the name of their file, and in a call that is explained', async () => {
    const directory = join(folder(), `<img src=x onerror=alert('file')>`)
    mkdirSync(directory)
    const policy = join(directory, 'rules.json')
    const rule = (name: string, tool: string) => ({ name, when: { tool }, decision: 'deny', because: `because ${name}` })
    const rules = [
      rule(hostile('rule'), 'nothing'),
      ...all.map((text, at) => rule(`${at} ${text}`, `${at}`)),
      rule('x', '*shows'),
    ]
    const cases = [{ name: hostile('case'), call: { tool: hostile('tool of a case') }, expect: 'allow' }]
    writeFileSync(
      policy,
      JSON.stringify({ rules, cases: cases.map(({ call, expect }) => ({ call, expect })), default: 'allow' }, null, 1),
    )
    const { page, go } = await open({ policy })
    await go('policy')
    await expectShown(page, [seen('rule'), ...plain.slice(0, 12), `<img src=x onerror=alert('file')>`])
    await go('policy?show=cases')
    await expectShown(page, [seen('tool of a case')])
    await go('policy?show=edit')
    await page.getByLabel('Text of the rules').waitFor()
    await expectShown(page, [])
    await page.getByLabel('Text of the rules').fill(`{ "rules": [{ "${hostile('wrong')}": 1 }] }`)
    await expectShown(page, [`wrong <x-hostile onclick=alert('wrong')>`])
    await go('policy?show=explain')
    await page.getByLabel('Tool').fill('teller__shows')
    await page.getByRole('button', { name: 'Explain' }).click()
    await expectShown(page, ['The call would be refused'])
  })

  it('in the name of a browser, and in addresses', async () => {
    const { page, go } = await open()
    await page.getByRole('button', { name: 'Sessions' }).click()
    await page.getByRole('dialog').waitFor()
    await expectShown(page, [`<x-hostile onclick=alert('agent')>`])
    await page.keyboard.press('Escape')
    const ways = [
      markup[0],
      `exposed/${markup[2]}`,
      `exposed?q=${markup[5]}&tab=${markup[1]}`,
      `policy?show=${markup[4]}`,
      `?by=${markup[3]}`,
    ]
    for (const way of [...ways, '%', '%E0%A4%A', '__proto__', 'constructor/toString', `exposed/__proto__?show=constructor`]) {
      await go(way ?? '')
      await expectShown(page, [])
    }
  })
})
