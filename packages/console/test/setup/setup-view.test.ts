// A person sets up a real gateway on its page: servers, logins, and keys for callers.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { shopWithLogin } from '../../../gateway/test/logins/protected-shop.js'
import { ask, client, until } from '../../../gateway/test/support/running-gateway.js'
import { inBrowser, visitor } from '../browser.js'
import { enter } from '../gateway.js'
import { notesEntry, type OwnFile, ownFile } from './config-file.js'

const row = (page: Page, name: string) => page.getByRole('grid', { name: 'Servers' }).getByRole('row').filter({ hasText: name })

async function at(gateway: OwnFile, way = 'setup') {
  const person = await visitor()
  const page = await enter(person, gateway)
  await page.goto(`${gateway.home}/#/${way}`)
  await page.getByRole('heading', { level: 1, name: 'Setup' }).waitFor()
  return { page, person }
}

async function fill(page: Page, name: string, args: readonly string[], command = process.execPath) {
  await page.getByRole('button', { name: 'Add a server' }).click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Program', { exact: true }).fill(command)
  await page.getByLabel('Arguments').fill(args.join('\n'))
  await page.getByLabel('Environment').fill('PIN=12345-secret')
  await page.getByRole('button', { name: 'Review the change' }).click()
}

inBrowser('a server', () => {
  it('is added after a person has confirmed its command line, then becomes ready, and is in the file', async () => {
    const gateway = await ownFile({})
    const { page } = await at(gateway)
    await page.getByText('No servers are configured').waitFor()
    await fill(page, 'notes', [...notesEntry.args, 'two words'])
    await page.getByText('This program will run on the machine of the gateway').waitFor()
    const words = page.getByRole('region', { name: 'Command line' }).getByRole('listitem')
    expect(await words.allInnerTexts()).toEqual([process.execPath, ...notesEntry.args, 'two words'])
    expect(await page.getByRole('dialog').innerText()).not.toContain('12345-secret')
    expect(gateway.text()).not.toContain('notes-server')
    await page.getByRole('button', { name: 'Save, and run this program' }).click()
    await row(page, 'notes').getByText('ready').waitFor()
    await row(page, 'notes')
      .getByText(/^[1-9]\d* tools$/)
      .waitFor()
    expect(gateway.text()).toContain('// Ours.')
    expect(gateway.text()).toContain('12345-secret')
    const { body } = await ask(gateway, '/audit?tool=toolwire/add-server')
    expect(body.calls).toMatchObject([{ caller: expect.stringMatching(/^console:/), outcome: 'ok' }])
  })

  it('is refused with a reason if it is invalid, has a duplicate name, or is not allowed by `commands`', async () => {
    const gateway = await ownFile({ notes: notesEntry }, { commands: [`${process.execPath} *`] })
    const { page, person } = await at(gateway)
    person.allow(/status of 400/)
    const before = gateway.text()
    await fill(page, '', [], '')
    await page.getByText('Enter the program to start.').waitFor()
    await page.getByText('Enter a name').waitFor()
    await page.keyboard.press('Escape')
    await fill(page, 'Notes', [])
    await page.getByText('there is a server "notes" already').waitFor()
    await page.keyboard.press('Escape')
    await fill(page, 'other', ['-c', 'id'], 'sh')
    await page.getByText('not allowed by toolwire.commands').waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
    expect(gateway.text()).toBe(before)
  })

  it('is changed and removed, and its secrets stay hidden and unchanged', async () => {
    const gateway = await ownFile({ notes: { ...notesEntry, env: { TOKEN: 's3cret-of-ours' } } })
    const { page } = await at(gateway)
    await row(page, 'notes').getByText('ready').waitFor()
    await row(page, 'notes').getByRole('link').click()
    await page.getByRole('button', { name: 'Change' }).click()
    await expect.poll(() => page.getByLabel('Environment').inputValue()).toContain('TOKEN=<')
    expect(await page.getByLabel('Environment').inputValue()).not.toContain('s3cret')
    await page.getByLabel('Arguments').fill(['--no-warnings', ...notesEntry.args].join('\n'))
    await page.getByRole('button', { name: 'Review the change' }).click()
    await page.getByRole('button', { name: 'Save, and run this program' }).click()
    await until(() => gateway.text().includes('--no-warnings'))
    expect(gateway.text()).toContain('s3cret-of-ours')
    await page.goto(`${gateway.home}/#/setup/notes`)
    await page.getByRole('button', { name: 'Remove …' }).click()
    await page.getByText('Its tools are no longer offered').waitFor()
    await page.getByRole('button', { name: 'Remove the server' }).click()
    await page.getByText('No servers are configured').waitFor()
    expect(gateway.text()).not.toContain('notes-server')
  })

  it('is found by a word or by its state', async () => {
    const gateway = await ownFile({ notes: notesEntry, lost: { command: '/nowhere/at-all' } })
    const { page } = await at(gateway)
    await row(page, 'lost').waitFor()
    await page.getByLabel('Name, command or address').fill('nowhere')
    await expect.poll(() => row(page, '').count()).toBe(2)
    await row(page, 'lost').waitFor()
    await page.getByLabel('Name, command or address').fill('')
    await page.getByLabel('State').selectOption({ label: 'ready' })
    await row(page, 'notes').waitFor()
    await row(page, 'lost').waitFor({ state: 'detached' })
  })

  it('with a login is logged in to from the page, which names the destination, and logged out of', async () => {
    const shop = await shopWithLogin({ revokes: true })
    const gateway = await ownFile(
      { shop: { type: 'http', url: shop.url } },
      { servers: { shop: { auth: 'oauth', trusted: true } } },
    )
    const { page, person } = await at(gateway, 'setup/shop')
    person.allow(/^elsewhere: /)
    await page.getByRole('dialog').getByText('needs a login', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Log in …' }).click()
    await page.getByRole('dialog').getByText(new URL(shop.as.issuer).origin).first().waitFor()
    await page.getByRole('button', { name: 'Open the login page' }).click()
    await page.getByText('The gateway is logged in to shop.').waitFor()
    await row(page, 'shop').getByText('ready').waitFor()
    expect(new URL(page.url())).toMatchObject({ pathname: '/', search: '', hash: '#/setup' })
    await row(page, 'shop').getByRole('link').click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('dialog').getByText('none yet').waitFor()
    await expect.poll(() => shop.as.revocations().length).toBeGreaterThan(0)
  })

  it('is not logged in to through a forged redirect address', async () => {
    const gateway = await ownFile({})
    const { page } = await at(gateway)
    await page.goto(`${gateway.home}/logged-in?code=theirs&state=theirs#/approvals`)
    await page.getByText('This login was started in another tab').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Setup' }).waitFor()
    expect(page.url()).toBe(`${gateway.home}/#/setup`)
  })
})

inBrowser('a key for a caller', () => {
  it('is shown once, admits its caller, and is revoked', async () => {
    const gateway = await ownFile(
      { notes: notesEntry },
      { callers: { loopback: false, apiKeys: true }, sets: { some: ['notes__*'] } },
    )
    const { page } = await at(gateway, 'setup?show=keys')
    await page.getByText('No API keys yet').waitFor()
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByText('Enter the name of the caller.').waitFor()
    await page.getByLabel('Caller', { exact: true }).fill('nightly report')
    await page.getByLabel('Expires').selectOption({ label: 'in 30 days' })
    await page.getByRole('button', { name: 'Create the key' }).click()
    const key = await page.locator('.made-key code').innerText()
    await page.getByRole('button', { name: 'Done' }).click()
    const keys = page.getByRole('grid', { name: 'Keys' })
    await keys.getByText('nightly report').waitFor()
    expect(await page.content()).not.toContain(key)
    const headers = { authorization: `Bearer ${key}` }
    await (await client(gateway.url, { headers })).call('notes__pid')
    await page.getByLabel('Caller, id or scope').fill('somebody else')
    await page.getByText('No key matches').waitFor()
    await page.getByRole('button', { name: 'Show all keys' }).click()
    await keys.getByRole('button', { name: /^Revoke/ }).click()
    await page.getByRole('button', { name: 'Revoke the key', exact: true }).click()
    await page.getByText('No API keys yet').waitFor()
    expect((await fetch(gateway.url, { method: 'POST', headers, body: '{}' })).status).toBe(401)
    const { calls } = await gateway.control.store.audit.search({ text: 'toolwire/' })
    const byPeople = calls.filter(({ caller }) => caller.startsWith('console'))
    expect(byPeople.map(({ tool, caller }) => [tool, caller.split(':')[0]])).toEqual([
      ['toolwire/revoke-key', 'console'],
      ['toolwire/add-key', 'console'],
      ['toolwire/open-console', 'console'],
    ])
  })
})
