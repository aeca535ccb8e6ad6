// A person reads, tests and edits the rules of a real gateway.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { ask, client, folder, words } from '../../../gateway/test/support/running-gateway.js'
import { inBrowser, visitor } from '../browser.js'
import { enter, place } from '../gateway.js'

const rules = `rules:
  - name: nobody writes
    when: { tool: "*write" }
    decision: deny
    because: it is Sunday
  - name: reading
    when: { hints: { readOnly: true } }
    decision: allow
cases:
  - call: { tool: notes__write, arguments: { text: hi } }
    expect: deny
`
const refused = /^console: .*status of 4(00|09)/

/** Opens the policy view of a gateway with these rules. */
async function at(show: string, text = rules) {
  const file = join(folder(), 'policy.yaml')
  writeFileSync(file, text)
  const gateway = await place({ policy: file })
  const person = await visitor()
  const page = await enter(person, gateway)
  await page.goto(`${gateway.home}/#/policy?show=${show}`)
  await page.getByRole('tabpanel').first().waitFor()
  return { file, gateway, person, page }
}

const text = (page: Page) => page.getByLabel('Text of the rules')
const saveButton = (page: Page) => page.getByRole('button', { name: 'Save to the file' })

inBrowser('the rules in force', () => {
  it('are listed with their lines, and with the number of calls that each has decided', async () => {
    const { gateway, page } = await at('rules')
    const one = await client(gateway.url)
    expect(words(await one.call('notes__read'))).toBe('nothing')
    expect(words(await one.call('notes__read'))).toBe('nothing')
    await page.reload()
    const row = page.getByRole('row', { name: 'reading' })
    await row.waitFor()
    expect(await row.getByRole('cell').allTextContents()).toEqual([
      '2',
      'allow',
      '2',
      expect.stringMatching(/^just now$|seconds ago$/),
      '6',
    ])
    await row.getByRole('link').click()
    await expect
      .poll(() => text(page).evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd)))
      .toBe('  - name: reading')
  })

  it('are explained for a call in fields, and for a pasted call', async () => {
    const { page } = await at('explain')
    await page.getByLabel('Tool').fill('notes__write')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('The call would be refused').waitFor()
    await page.getByText('"nobody writes" is the first rule that matches: it is Sunday').waitFor()
    await page.getByRole('tab', { name: 'JSON' }).click()
    await page.getByRole('textbox', { name: 'Call', exact: true }).fill('{"method":"tools/call","params":{"name":"notes__read"}}')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('The call would be made').waitFor()
    await page.getByText('did not match').waitFor()
    await page.getByRole('textbox', { name: 'Call', exact: true }).fill('nothing')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('This is not JSON.').waitFor()
  })

  it('may be missing: the page says that there is no policy file', async () => {
    const gateway = await place()
    const page = await enter(await visitor(), gateway)
    await page.goto(`${gateway.home}/#/policy`)
    await page.getByText('There is no policy file yet').waitFor()
  })
})

inBrowser('the text of the rules', () => {
  it('shows errors at their lines, and cannot be saved until they are fixed', async () => {
    const { page, file } = await at('edit')
    await text(page).fill(rules.replace('decision: allow', 'decision: perhaps'))
    await page.getByRole('button', { name: 'Line 8' }).waitFor()
    expect(await page.locator('.line-numbers .wrong').allTextContents()).toEqual(['8'])
    expect(await saveButton(page).isDisabled()).toBe(true)
    await text(page).fill(rules.replace('decision: deny', 'decision: ask'))
    await page.getByText('expected deny, got ask').waitFor()
    expect(await saveButton(page).isDisabled()).toBe(true)
    expect(readFileSync(file, 'utf8')).toBe(rules)
  })

  it('shows the effect of a change, and takes effect when it is saved', async () => {
    const { page, file, gateway } = await at('edit')
    const one = await client(gateway.url)
    expect(words(await one.call('notes__read'))).toBe('nothing')
    const other = rules.replace('decision: allow', 'decision: deny')
    await text(page).fill(other)
    const row = page.getByRole('row', { name: 'notes__read' }).first()
    await row.waitFor()
    expect((await row.getByRole('cell').allTextContents()).slice(1)).toEqual(['allow', 'deny'])
    await saveButton(page).click()
    await page.getByText('The rules are saved and in force').waitFor()
    await page.getByText('There are no changes.').waitFor()
    expect(readFileSync(file, 'utf8')).toBe(other)
    await expect(one.call('notes__read')).rejects.toThrow('Unknown tool')
    const { calls } = (await ask(gateway, '/audit?tool=toolwire/save-policy')).body as { calls: { caller: string }[] }
    expect(calls.map(({ caller }) => caller)).toEqual([expect.stringMatching(/^console:/)])
  })

  it('replaces changes of another editor only after a confirmation', async () => {
    const { page, file, person } = await at('edit')
    person.allow(refused)
    const mine = `${rules}# mine\n`
    const theirs = `${rules}# theirs\n`
    await text(page).fill(mine)
    await page.getByText('The text can be saved.').waitFor()
    writeFileSync(file, theirs)
    await saveButton(page)
      .click({ timeout: 1_000 })
      .catch(() => undefined) // fails if the page knows of the change already
    await page.getByText('The file has changed since you began.').waitFor()
    expect(readFileSync(file, 'utf8')).toBe(theirs)
    await page.getByRole('button', { name: 'Keep my text' }).click()
    await saveButton(page).click()
    await page.getByText('The rules are saved and in force').waitFor()
    expect(readFileSync(file, 'utf8')).toBe(mine)
  })
})
