// An open page during a restart of its gateway.
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pageFolder } from '../../../gateway/src/console/console-server.js'
import { folder } from '../../../gateway/test/support/running-gateway.js'
import { inBrowser, visitor } from '../browser.js'
import { enter, place } from '../gateway.js'
import { askFrom, keyOf } from '../requests.js'

const unreachable = /^console: .*net::ERR_/
const refused = /^console: .*status of 401/

inBrowser('a page whose gateway is started again', () => {
  it('keeps its session', async () => {
    const gateway = await place()
    const person = await visitor()
    person.allow(unreachable)
    const page = await enter(person, gateway)
    const key = await keyOf(page)
    const session = (await askFrom(page, '/session', { key })).body.id
    await gateway.again()
    expect((await askFrom(page, '/session', { key })).body.id).toBe(session)
    await page.reload()
    expect(await keyOf(page)).toBe(key)
    expect((await askFrom(page, '/api/v1/status', { key })).body).toMatchObject({ status: 'ok' })
  })

  it('asks for a new link if its session is unknown, and continues after the new login', async () => {
    const gateway = await place()
    const person = await visitor()
    person.allow(unreachable, refused)
    const page = await enter(person, gateway)
    await gateway.close({ drainMs: 0 })
    const port = Number(new URL(gateway.home).port)
    const next = await place({ console: { host: '127.0.0.1', port } })
    await page.reload()
    await page.getByText('toolwire console').first().waitFor()
    await page.goto('about:blank')
    await page.goto(next.link())
    await expect.poll(() => keyOf(page)).not.toBe('')
    await expect.poll(async () => (await askFrom(page, '/api/v1/status', { key: await keyOf(page) })).status).toBe(200)
  })

  it('with another version gets the new page after a reload', async () => {
    const { TOOLWIRE_PAGE: built = pageFolder() } = process.env
    const [old, fresh] = [join(folder(), 'page'), join(folder(), 'page')]
    for (const copy of [old, fresh]) cpSync(built, copy, { recursive: true })
    renameAssets(fresh)
    const gateway = await place({ options: { console: { page: old } } })
    const person = await visitor()
    person.allow(unreachable)
    const page = await enter(person, gateway)
    const scripts = () => page.locator('script[src]').evaluateAll((all) => all.map((one) => (one as HTMLScriptElement).src))
    const before = await scripts()
    await gateway.again({ console: { page: fresh } })
    await page.reload()
    expect(before).not.toEqual([])
    expect(await scripts()).toEqual(before.map((src) => src.replace('/assets/', '/assets/new-')))
    expect((await askFrom(page, '/api/v1/status', { key: await keyOf(page) })).status).toBe(200)
  })
})

/** Renames the assets, as another build would. */
function renameAssets(page: string): void {
  const assets = join(page, 'assets')
  const names = readdirSync(assets).filter((name) => !/\.(?:br|gz)$/.test(name))
  for (const name of readdirSync(assets)) {
    const file = join(assets, name)
    // The compressed variants contain the old names.
    if (!names.includes(name)) renameSync(file, join(page, `gone-${name}`))
    else if (name.endsWith('.js')) {
      const text = names.reduce((all, one) => all.replaceAll(one, `new-${one}`), readFileSync(file, 'utf8'))
      writeFileSync(join(assets, `new-${name}`), text)
      rmSync(file)
    } else renameSync(file, join(assets, `new-${name}`))
  }
  const index = join(page, 'index.html')
  writeFileSync(index, readFileSync(index, 'utf8').replaceAll('/assets/', '/assets/new-'))
  for (const ending of ['.br', '.gz']) renameSync(`${index}${ending}`, join(page, `gone${ending}`))
}
