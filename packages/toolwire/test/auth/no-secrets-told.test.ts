// Tokens and API keys must never appear in answers, logs or handler input.
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { anyOf, apiKeys, bearerJwt, createApiKey, introspection, memoryApiKeys } from '../../src/auth/index.js'
import { connect } from '../../src/client/index.js'
import { server, tool } from '../../src/index.js'
import { listen } from '../../src/node.js'
import { json } from '../client/oauth/web.js'
import { issuer, seconds } from './issuer.js'
import { bearer, type Said, serve, use } from './served.js'

let logged: string[] = []
beforeEach(() => {
  logged = []
  const note = (...values: unknown[]) => void logged.push(values.map((value) => inspect(value, { depth: 10 })).join(' '))
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const) vi.spyOn(console, level).mockImplementation(note)
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      note(String(chunk))
      return true
    })
})
afterEach(() => vi.restoreAllMocks())

/** The parts of a token that are secret or informative. */
const partsOf = (token: string) => [token, ...token.split('.').slice(1)].filter((part) => part.length > 8)
const everything = ({ text, challenge }: Said) => `${text} ${challenge}`

describe('AUTHS-015 a token', () => {
  it('appears in no answer and no log, whatever is wrong with it', async () => {
    await using as = await issuer({ introspect: () => ({ status: 500, body: 'no' }) })
    await using down = await issuer({ keys: () => ({ status: 500 }) })
    const { key, record } = await createApiKey({ scopes: [] })
    await using at = await serve((resource) => ({
      resource: { url: resource, authorizationServers: [as.url] },
      authenticate: anyOf(
        apiKeys({ store: memoryApiKeys([{ ...record, expiresAt: 1 }]) }),
        bearerJwt({ issuer: as.url, resource }),
        bearerJwt({ issuer: down.url, resource }),
        introspection({
          issuer: as.url,
          resource,
          endpoint: `${as.url}/introspect`,
          clientId: 'shop',
          clientSecret: 'the-secret',
        }),
      ),
    }))
    const tokens = [
      key,
      `${key.slice(0, -4)}AAAA`,
      await as.token(at.url, { exp: seconds(-999), email: 'ana@example.org' }),
      await as.token('https://other.example', { email: 'ana@example.org' }),
      await as.token(at.url, { cnf: {} }),
      `${(await as.token(at.url)).slice(0, -6)}AAAAAA`,
      await down.token(at.url),
      'an-opaque-token-of-somebody',
      'x'.repeat(8_193),
    ]
    const answers: string[] = []
    for (const token of tokens) {
      answers.push(everything(await use(at.url, 'who', bearer(token))))
      answers.push(everything(await use(`${at.url}?access_token=${token}`, 'who')))
      answers.push(
        everything(
          await use(at.url, 'who', { authorization: `Bearer ${token} ${token}` }).catch(
            () => ({ text: '', challenge: '' }) as Said,
          ),
        ),
      )
    }
    const seen = [...answers, ...logged].join('\n')
    for (const secret of [...tokens.flatMap(partsOf), 'the-secret', 'ana@example.org']) expect(seen).not.toContain(secret)
    expect(answers.join()).toContain('The token has expired')
  })

  it('never reaches a handler', async () => {
    await using as = await issuer()
    await using at = await serve((resource) => ({ authenticate: bearerJwt({ issuer: as.url, resource }) }))
    const token = await as.token(at.url)
    expect((await use(at.url, 'who', bearer(token))).status).toBe(200)
    const given = inspect(at.contexts, { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null })
    expect(given).toContain(`${as.url} ana`)
    for (const part of partsOf(token)) expect(given).not.toContain(part)
  })
})

describe('AUTHS-009 a server that calls another server', () => {
  it('uses its own credentials', async () => {
    const upstream: (string | undefined)[] = []
    const inner = server({ name: 'inner', version: '1.0.0', tools: { look: tool({ description: 'Looks', run: () => 'seen' }) } })
    const behind = await listen(inner, {
      signals: false,
      authenticate: ({ header }) => {
        upstream.push(header('authorization'))
        return { id: 'outer', scopes: [] }
      },
    })
    await using as = await issuer()
    const ask = tool({
      description: 'Asks the inner one',
      run: async () => {
        await using client = await connect(behind.url, { auth: { token: 'of-our-own' } })
        const { content } = await client.call('look')
        return (content[0] as { text: string }).text // the tool returns one block
      },
    })
    const outer = server({ name: 'outer', version: '1.0.0', tools: { ask } })
    const front = await listen(outer, {
      signals: false,
      authenticate: bearerJwt({ issuer: as.url, resource: 'https://outer.example' }),
    })
    const token = await as.token('https://outer.example')
    expect((await use(front.url, 'ask', bearer(token))).result?.content?.[0]?.text).toBe('seen')
    expect(new Set(upstream)).toEqual(new Set(['Bearer of-our-own']))
    await front.close()
    await behind.close()
  })

  it('sends the token only to the configured authorization server', async () => {
    await using as = await issuer({ introspect: () => json({ active: false }) })
    await using at = await serve((resource) => ({
      authenticate: introspection({
        issuer: as.url,
        resource,
        endpoint: `${as.url}/introspect`,
        clientId: 'x',
        clientSecret: 'y',
      }),
    }))
    await use(at.url, 'who', bearer('opaque'))
    expect(as.seen.map(({ method, target }) => `${method} ${target}`)).toEqual(['POST /introspect'])
  })
})
