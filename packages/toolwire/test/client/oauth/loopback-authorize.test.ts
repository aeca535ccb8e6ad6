import { describe, expect, it } from 'vitest'
import { openPage } from '../../../src/client/oauth/authorize/open-page.js'
import { loopbackAuthorize } from '../../../src/client/oauth/index.js'
import { freePort } from '../../free-port.js'
import { call, thrownBy } from './call.js'
import { person, setting } from './setting.js'

const about = () => ({ server: '', issuer: '', scopes: [], signal: new AbortController().signal })
const wrongPages = [
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'vbscript:x',
  'ms-word:x',
  'http://as.example/authorize',
]

describe('the authorization page', () => {
  it.each(wrongPages)('AUTHC-027 may not be %s', async (page) => {
    const run: string[] = []
    expect(await thrownBy(openPage(new URL(page), (program) => void run.push(program)))).toMatchObject({
      code: 'forbidden_address',
    })
    expect(run).toEqual([])
  })

  it.each(wrongPages)('AUTHC-027 does not reach the opener if it is %s', async (page) => {
    const opened: URL[] = []
    expect(await thrownBy(loopbackAuthorize({ open: (url) => void opened.push(url) })(new URL(page), about()))).toMatchObject({
      code: 'forbidden_address',
    })
    expect(opened).toEqual([])
  })

  it.each([
    'https://as.example/authorize?a=$(id)&b=;id|x`id`',
    'http://127.0.0.1:1/authorize?a="&calc"',
  ])('AUTHC-027 is one argument of a program, without a shell: %s', async (page) => {
    const run: (readonly [string, readonly string[]])[] = []
    await openPage(new URL(page), (program, args) => void run.push([program, args]))
    expect(run).toHaveLength(1)
    const [[program, args]] = run as [(typeof run)[0]]
    expect(program).not.toMatch(/sh$|cmd|powershell| /)
    expect(args.at(-1)).toBe(new URL(page).href)
  })

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///x',
  ])('AUTHC-027 of metadata that names %s is not opened', async (page) => {
    await using at = await setting({ metadata: (own) => ({ ...own, authorization_endpoint: page }) })
    const shown: URL[] = []
    const authorize = async (url: URL) => {
      shown.push(url)
      return ''
    }
    expect(await thrownBy(call(person({ authorize }), at.server.url))).toMatchObject({ code: 'forbidden_address' })
    expect(shown).toEqual([])
  })
})

describe('waiting for the redirect on loopback', () => {
  it('ends with the redirect, and ignores other requests of the browser', async () => {
    const redirectUri = `http://127.0.0.1:${await freePort()}/back`
    await using at = await setting()
    const seen: number[] = []
    const open = async (page: URL) => {
      seen.push((await fetch(new URL('/favicon.ico', redirectUri))).status)
      void fetch(page).then(({ status }) => seen.push(status))
    }
    expect(await call(person({ redirectUri, authorize: loopbackAuthorize({ open }) }), at.server.url)).toBe(200)
    expect(seen).toEqual([404, 200])
    expect(await thrownBy(fetch(redirectUri))).toBeInstanceOf(TypeError)
  })

  it('ends when it is aborted', async () => {
    const page = new URL('https://as.example/authorize')
    page.searchParams.set('redirect_uri', `http://127.0.0.1:${await freePort()}/`)
    const waiting = loopbackAuthorize({ open: () => undefined })(page, { ...about(), signal: AbortSignal.timeout(20) })
    expect(await thrownBy(waiting)).toMatchObject({ code: 'timed_out' })
  })

  it('shows no page after it was aborted', async () => {
    const page = new URL('https://as.example/authorize')
    page.searchParams.set('redirect_uri', `http://127.0.0.1:${await freePort()}/`)
    const shown: URL[] = []
    const waiting = loopbackAuthorize({ open: (url) => void shown.push(url) })(page, { ...about(), signal: AbortSignal.abort() })
    expect(await thrownBy(waiting)).toMatchObject({ code: 'timed_out' })
    expect(shown).toEqual([])
  })

  it('requires a redirect URI on loopback', async () => {
    const page = new URL('https://as.example/authorize?redirect_uri=https://app.example/')
    expect(await thrownBy(loopbackAuthorize({ open: () => undefined })(page, about()))).toMatchObject({ code: 'bad_options' })
  })
})
