// The audit view over the log of a real gateway.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { client, folder } from '../../../gateway/test/support/running-gateway.js'
import { verifyAudit } from '../../../toolwire/src/guard.js'
import { inBrowser, visitor } from '../browser.js'
import { enter, place } from '../gateway.js'
import { turnTo } from '../views.js'

const rules = `rules:
  - name: nobody writes that
    when: { tool: "*write", arguments: { text: hi } }
    decision: deny
    because: it is Sunday
  - name: reading
    when: { hints: { readOnly: true } }
    decision: allow
`

/** A person at the log after three calls, one of which was refused. */
async function at(path = '') {
  const policy = join(folder(), 'policy.yaml')
  writeFileSync(policy, rules)
  const gateway = await place({ policy })
  const one = await client(gateway.url)
  await one.call('notes__read')
  await one.call('notes__write', { text: 'hi' }).catch(() => undefined)
  await one.call('notes__read')
  const page = await enter(await visitor(), gateway)
  await page.goto(`${gateway.home}/#/audit${path}`)
  await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor()
  return { gateway, one, page }
}

const calls = (page: Page) => page.getByRole('grid', { name: 'Calls in the log' }).getByRole('row')
const patient = { timeout: 60_000 }
/** The rows without the header. */
const found = (page: Page) =>
  calls(page)
    .count()
    .then((count) => count - 1)

inBrowser('the log', () => {
  it('shows every call with its outcome, the latest first', async () => {
    const { page } = await at('?server=notes')
    await expect.poll(() => found(page), patient).toBe(3)
    const texts = await calls(page).allTextContents()
    expect(texts.slice(1).map((text) => /ok|refused/.exec(text)?.[0])).toEqual(['ok', 'refused', 'ok'])
  })

  it('is filtered by outcome, by tool and by text, and the address contains the filter', async () => {
    const { page } = await at()
    await page.getByLabel('Outcome').selectOption('refused')
    await expect.poll(() => found(page), patient).toBe(1)
    expect(page.url()).toContain('outcome=refused')
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByLabel('Tool').fill('notes__read')
    await page.keyboard.press('Enter')
    await expect.poll(() => found(page), patient).toBe(2)
    await page.reload()
    await expect.poll(() => found(page), patient).toBe(2)
    await page.getByLabel('Tool').fill('no-such-tool')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('No calls match').waitFor()
    await page.getByLabel('Tool').fill('')
    await page.getByLabel('Anywhere in the record').fill('forbidden')
    await page.getByRole('button', { name: 'Search' }).click()
    await expect.poll(() => found(page), patient).toBe(1)
  })

  it('opens a complete record, by keyboard and by its address, with the other record of the same call', async () => {
    const { page } = await at('?outcome=refused')
    await expect.poll(() => found(page), patient).toBe(1)
    await page.getByRole('grid').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const record = page.getByRole('complementary', { name: /^Record/ })
    await record.getByText('"notes__write"').waitFor()
    await record.getByRole('link', { name: /how it ended/ }).click()
    await record.getByText('"forbidden"').waitFor()
    expect(page.url()).toMatch(/#\/audit\/\d+/)
    const address = page.url()
    await page.goto('about:blank')
    await page.goto(address)
    await record.getByText('"forbidden"').waitFor()
    // Secret values are left out. The record has only their digest.
    expect(await record.textContent()).not.toContain('"hi"')
  })

  it('announces new calls, and loads them on request', async () => {
    const { one, page } = await at('?tool=notes__read')
    await expect.poll(() => found(page), patient).toBe(2)
    await one.call('notes__read')
    await page.getByRole('button', { name: 'Load newer calls' }).click()
    await expect.poll(() => found(page), patient).toBe(3)
  })

  it('is verified, and exported in a form that can be verified elsewhere', async () => {
    const { page } = await at()
    await page.getByRole('button', { name: 'Verify the chain' }).click()
    await page.getByText('intact').waitFor()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export NDJSON' }).click()
    const file = await (await saving).path()
    const verdict = await verifyAudit(readFileSync(file, 'utf8').split('\n'))
    expect(verdict).toMatchObject({ ok: true })
    expect(verdict.ok && verdict.entries).toBeGreaterThanOrEqual(6)
    const table = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    expect(readFileSync(await (await table).path(), 'utf8')).toContain('notes__write')
    const head = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Signed head' }).click()
    expect(JSON.parse(readFileSync(await (await head).path(), 'utf8')).head).toMatchObject({ signature: expect.any(String) })
  })

  it('says what to do if a record does not exist, and shows no other record in its place', async () => {
    const { gateway } = await at()
    const person = await visitor()
    person.allow(/status of 404/)
    const page = await enter(person, gateway)
    await turnTo(page, 'audit/1')
    await page.getByRole('heading', { name: 'Content' }).waitFor()
    await turnTo(page, 'audit/999999')
    await page.getByText('There is no record 999999').waitFor()
    expect(await page.getByRole('heading', { name: 'Content' }).count()).toBe(0)
  })
})
