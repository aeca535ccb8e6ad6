// Output and messages of untrusted servers reach the log with limits, and without secrets and control characters.
import { expect, it } from 'vitest'
import { Random } from '../../../../bench/src/promises/random.js'
import { watchLoop } from '../../../toolwire/test/loop-watch.js'
import { Secrets } from '../../src/config/secrets.js'
import { GatewayLog, type GatewayLogEntry } from '../../src/lifecycle/gateway-log.js'
import { EventFeed } from '../../src/monitoring/event-feed.js'
import { openFailureOf } from '../../src/upstreams/open-client.js'
import { lineSplitter } from '../../src/upstreams/split-lines.js'

const configured = 'correct-horse-battery-staple'
const control = /(?!\n|\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** Words that must be removed: secrets of the config, and texts that look like secrets or are named so. */
const secretWords: readonly ((random: Random) => { readonly printed: string; readonly secret: string })[] = [
  () => ({ printed: configured, secret: configured }),
  (random) => {
    const secret = `ghp_${random.word(36)}`
    return { printed: secret, secret }
  },
  (random) => {
    const secret = random.word(20)
    return { printed: `${random.pick(['password=', 'API_KEY: ', '"token":"', 'Authorization: Bearer '])}${secret}`, secret }
  },
  (random) => {
    const secret = random.word(40)
    return { printed: `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n-----END RSA PRIVATE KEY-----\n`, secret }
  },
]
const odd = ['\u001b[31m', '\u001b]0;title\u0007', '\u202e', '\u200b', '\u0000', '\r', '\u2028', '\u0085', '\b', '\n', '\u001b']

function printed(random: Random): { readonly text: string; readonly secrets: readonly string[] } {
  const secrets: string[] = []
  let text = ''
  for (let piece = 0; piece < 30; piece++) {
    const { printed, secret } = random.pick(secretWords)(random)
    secrets.push(secret)
    text += ` ${random.word(random.below(20) + 1)} ${printed} ${random.pick(odd)}`
    if (random.below(6) === 0) text += ` ${random.word(4)} `.repeat(random.below(1_500))
  }
  return { text: `${text}\n`, secrets }
}

function log() {
  const entries: GatewayLogEntry[] = []
  const secrets = new Secrets()
  secrets.add(configured)
  const events = new EventFeed()
  const news = new GatewayLog({
    events,
    onLog: (entry) => entries.push(entry),
    mask: (text) => secrets.mask(text),
  })
  return { entries, events, news }
}

function expectClean(entries: readonly GatewayLogEntry[], secrets: readonly string[]): void {
  for (const entry of entries) {
    const words = Object.values(entry).filter((value) => typeof value === 'string')
    for (const word of words) {
      expect(word).not.toMatch(control)
      expect(word.length).toBeLessThanOrEqual(20_000)
      for (const secret of secrets) expect(word).not.toContain(secret)
    }
  }
}

it('secrets are removed from the output of a process, in any chunks', () => {
  const random = new Random(21)
  for (let run = 0; run < 25; run++) {
    const { entries, news } = log()
    const { text, secrets } = printed(random)
    const write = lineSplitter((line) => news.printed('shop', line))
    for (let at = 0; at < text.length; ) {
      const length = 1 + random.below(random.pick([4, 100, 70_000]))
      write(text.slice(at, at + length))
      at += length
    }
    expect(entries.length).toBeGreaterThan(0)
    expectClean(entries, secrets)
  }
})

it.each([
  '',
  ' ',
  '\u001b[1m ',
])('a setting at the start of a line, after %j, is not taken for the value of the server', (before) => {
  const { entries, news } = log()
  lineSplitter((line) => news.printed('shop', line))(`${before}password=${'x'.repeat(20)} level=info:token=${'y'.repeat(20)}\n`)
  expect(entries[0]?.message).toMatch(/^shop: +password=\[secret removed[^\]]*\] level=info:token=\[secret removed[^\]]*\]$/)
})

it('secrets are removed from notes about servers, and from the reasons of failures', () => {
  const random = new Random(22)
  for (let run = 0; run < 25; run++) {
    const { entries, news } = log()
    const { text, secrets } = printed(random)
    const why = openFailureOf(new Error(text), { kind: 'child', command: 'node', args: [], env: {} })
    for (const secret of secrets) if (secret !== configured) expect(why).not.toContain(secret)
    news.write('warning', `shop: ${text}`, { server: text })
    expectClean(entries, secrets)
  }
})

it('an endless URI is shortened in an event about a definition', () => {
  const { events, news } = log()
  const tools: unknown[] = []
  events.onEvent(({ data }) => tools.push(data.tool))
  const drift = { server: 'shop', hash: 'sha256:0', advice: [] }
  const drifts = ['memo://short', `memo://${'x'.repeat(1_000_000)}`].map((tool) => ({ ...drift, tool }))
  news.drifted(drifts as unknown as Parameters<typeof news.drifted>[0])
  expect(tools).toEqual(['memo://short', `memo://${'x'.repeat(1_017)}…`])
})

it('the output of a server is limited for each minute, and the rest is counted', () => {
  const random = new Random(23)
  let now = 0
  const lines: string[] = []
  const write = lineSplitter(
    (line) => lines.push(line),
    () => now,
  )
  let printed = 0
  for (let piece = 0; piece < 500; piece++) {
    const count = 1 + random.below(50)
    printed += count
    write(`${random.word(1 + random.below(40))}\n`.repeat(count))
  }
  expect(lines.length).toBe(Math.min(printed, 2_000))
  write(`${'x '.repeat(10_000_000)}\n`)
  now = 61_000
  write('again\n')
  expect(lines.slice(2_000)).toEqual([`… ${printed - 2_000 + 1} more lines in that minute`, 'again'])
  now = 122_000
  write('the next minute\n')
  expect(lines.at(-2)).toBe('again')
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(8 * 1024 + 1)
})

it('lines of incomplete escape sequences are handled quickly, and invisible ones count as well', () => {
  watchLoop()
  let now = 0
  const lines: string[] = []
  const write = lineSplitter(
    (line) => lines.push(line),
    () => now,
  )
  const line = `\u001b${';#'.repeat(4_000)}`
  write(`${line}\n`.repeat(400))
  const withinLimit = Math.floor((512 * 1024) / line.length)
  expect(lines).toEqual(Array(withinLimit).fill(line.slice(2)))
  now = 61_000
  write(`${'\u001b[0m\n'.repeat(2_000)}more\n`)
  now = 122_000
  write('again\n')
  expect(lines.slice(withinLimit)).toEqual([
    `… ${400 - withinLimit} more lines in that minute`,
    '… 1 more lines in that minute',
    'again',
  ])
})
