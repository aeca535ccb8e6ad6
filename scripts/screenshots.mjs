// usage: node scripts/screenshots.mjs [FOLDER] [VIEW…]
// Takes screenshots of each view of the console: light and dark, on a phone, a laptop and a wide screen. The gateway has an hour of
// simulated calls: docs/console/*.png
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { connect } from 'toolwire/client'

// The hour passes in seconds: a shifted clock gives counters and records the times of a real hour.
const machineTime = Date.now
let behindMs = 0
Date.now = () => machineTime() - behindMs
const { runGateway } = await import('../packages/gateway/dist/index.js')

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = process.argv[2] ?? join(root, 'docs/console')
const wanted = process.argv.slice(3)
const mostBytes = 320 * 1_024
/** The screens, with the suffix of their file names. */
const screens = [
  { suffix: '', width: 1280, height: 800 },
  { suffix: '-390', width: 390, height: 844 },
  { suffix: '-2200', width: 2200, height: 1100 },
]
const minuteMs = 60_000

const rules = `rules:
  - name: nobody looks for passwords
    when: { tool: library__echo, arguments: { words: password } }
    decision: deny
    because: what is found would stand in a conversation
  - name: looking is free
    when: { hints: { readOnly: true } }
    decision: allow
  - name: the report restocks at night
    when: { tool: shop__restock, caller: nightly-report }
    decision: allow
  - name: a person orders
    when: { tool: shop__order }
    decision: ask
  - name: trying things out
    when: { tool: ["everything__echo", "everything__get-sum", "everything__trigger-long-running-operation"] }
    decision: allow
cases:
  - { call: { tool: shop__order, arguments: { id: mug } }, expect: ask }
  - { call: { tool: library__echo, arguments: { words: password } }, expect: deny }
default: ask
`

/** The examples, and a server whose definitions change. */
const servers = (changed) => ({
  shop: { command: process.execPath, args: ['examples/dist/shop.js', '--stdio'], cwd: root },
  everything: {
    command: process.execPath,
    args: ['node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'stdio'],
    cwd: root,
  },
  library: {
    command: process.execPath,
    args: ['packages/console/test/exposed/library-server.mjs'],
    // With other arguments, it would be a different server, whose tools all wait.
    env: { MODES: changed ? 'changed' : '' },
    cwd: root,
  },
})

const settings = {
  port: 0,
  console: { port: 0 },
  dataDir: './data',
  policy: './policy.yaml',
  callers: { apiKeys: true },
  sets: { reading: ['shop__search', 'library__echo', 'library__show'], shopping: ['shop__*'] },
  guard: { rate: { calls: 3_000, per: 'minute', burst: 12 } },
  servers: { shop: { trusted: true }, library: { trusted: true } },
}

async function start(place, changed) {
  const path = join(place, 'mcp.json')
  writeFileSync(path, JSON.stringify({ mcpServers: servers(changed), toolwire: settings }))
  writeFileSync(join(place, 'policy.yaml'), rules)
  const gateway = await runGateway({ path, env: {}, cwd: place, home: place }, { env: {} })
  await until(() => gateway.control.servers().every(({ state, tools }) => state === 'ready' && tools > 0))
  return gateway
}

async function until(look) {
  for (const end = performance.now() + 60_000; !(await look()); ) {
    if (performance.now() > end) throw new Error(`Timed out while waiting for: ${look}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Sends a request to the management API, as the command line does. */
async function manage({ port, config }, path, body) {
  const [token] = readFileSync(join(config.dataDir, 'management.token'), 'utf8').split('\n')
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const init = { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) }
  return (await fetch(`http://127.0.0.1:${port}/api/v1${path}`, init)).json()
}

async function callerNamed(gateway, caller) {
  const { key } = await manage(gateway, '/keys', { caller })
  const answers = { form: () => ({ action: 'accept', content: { confirm: true } }) }
  return connect(gateway.url, { headers: { authorization: `Bearer ${key}` }, answers, onWarning: () => undefined })
}

/** Pseudorandom numbers that are the same in every run. */
function dice(seed) {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

const usual = [
  ['chat', 'shop__search', { query: 'mug' }],
  ['chat', 'shop__search', { query: '' }],
  ['chat', 'library__echo', { words: 'The wind in the willows' }],
  ['editor', 'everything__echo', { message: 'Is anybody there?' }],
  ['editor', 'everything__get-sum', { a: 19, b: 23 }],
  ['editor', 'library__show', {}],
  ['nightly-report', 'library__echo', { words: 'overdue', limit: 50 }],
  ['nightly-report', 'shop__search', { query: 'shirt', limit: 5 }],
]
const seldom = [
  ['chat', 'library__fail', {}],
  ['editor', 'library__echo', { words: 'password' }],
  ['editor', 'everything__get-sum', { a: 'nineteen' }],
  ['nightly-report', 'everything__trigger-long-running-operation', { duration: 0.06, steps: 2 }],
]

const quietly = (call) => call.catch(() => undefined)

async function someCalls(people, many, roll) {
  for (let n = 0; n < many; n++) {
    const [who, tool, args] = roll(9) === 0 ? seldom[roll(seldom.length)] : usual[roll(usual.length)]
    await quietly(people[who].call(tool, args))
  }
}

/** An hour of calls: busier in the middle, with one burst that reaches a rate limit. */
async function anHour(people) {
  const roll = dice(7)
  for (let minute = 58.5; minute >= 0; minute -= 0.5) {
    behindMs = minute * minuteMs
    await someCalls(people, 2 + roll(3) + Math.round(5 * Math.exp(-(((minute - 22) / 11) ** 2))), roll)
    if (minute === 12)
      await Promise.all(Array.from({ length: 24 }, () => quietly(people.chat.call('shop__search', { query: 'hat' }))))
  }
  behindMs = 0
}

const heard = { onProgress: () => undefined }

/** Two orders that are decided, one allowed and one denied, and three pending calls. */
async function decisions(gateway, people) {
  for (const [id, body] of [
    ['shirt', { decision: 'allow' }],
    ['poster', { decision: 'deny', reason: 'Posters are sold out; look for something else' }],
  ]) {
    const call = quietly(people.chat.call('shop__order', { id }, heard))
    const [{ id: approval }] = await waiting(gateway, 1)
    await manage(gateway, `/approvals/${approval}`, body)
    await call
  }
  for (const [who, tool, args] of [
    ['chat', 'shop__order', { id: 'mug' }],
    ['editor', 'shop__restock', {}],
    ['editor', 'library__burn', {}],
  ])
    void quietly(people[who].call(tool, args, heard))
  return waiting(gateway, 3)
}

async function waiting(gateway, count) {
  await until(async () => (await manage(gateway, '/approvals')).total === count)
  return (await manage(gateway, '/approvals')).approvals
}

/** Calls that keep running while the screenshots are taken. */
function longCalls(people) {
  void quietly(people.editor.call('library__wait', {}, heard))
  void quietly(
    people['nightly-report'].call('everything__trigger-long-running-operation', { duration: 600, steps: 1_200 }, heard),
  )
}

const views = {
  overview: { way: '', until: (page) => page.locator('.charts canvas').first().waitFor() },
  exposed: { way: 'exposed/library__choose', until: (page) => page.getByText('⟨U+202E⟩').first().waitFor() },
  live: {
    way: 'live',
    until: async (page, { people }) => {
      await page.getByRole('heading', { name: 'Finished' }).waitFor()
      const roll = dice(11)
      for (let n = 0; n < 20; n++) {
        await someCalls(people, 1 + roll(3), roll)
        await page.waitForTimeout(300)
      }
      await page.getByRole('grid', { name: 'Finished calls' }).getByRole('row').nth(12).waitFor()
    },
  },
  approvals: {
    way: ({ order }) => `approvals/${order}`,
    until: (page) => page.locator('.allow:not([aria-disabled])').waitFor(),
  },
  audit: {
    way: 'audit?outcome=error',
    until: async (page) => {
      await page.getByRole('grid', { name: 'Calls in the log' }).getByText('library__fail').first().click()
      await page.getByText('Place in the chain').waitFor()
    },
  },
  policy: { way: 'policy', until: (page) => page.getByRole('row', { name: 'looking is free' }).waitFor() },
  setup: { way: 'setup', until: (page) => page.getByRole('grid', { name: 'Servers' }).getByText('ready').nth(2).waitFor() },
  try: {
    way: 'exposed/shop__search?tab=try',
    until: async (page) => {
      await page.getByLabel('Raw JSON').fill('{ "query": "" }')
      await page.getByRole('button', { name: /^Call/ }).click()
      await page.getByText('Answered', { exact: true }).waitFor()
    },
  },
}

async function visit(browser, theme, { gateway }) {
  const context = await browser.newContext({ colorScheme: theme, reducedMotion: 'reduce', locale: 'en-GB' })
  const page = await context.newPage()
  await page.goto(gateway.loginLink())
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

async function takePictures(browser, scene) {
  const themes = ['light', 'dark']
  const pages = await Promise.all(themes.map((theme) => visit(browser, theme, scene)))
  for (const [name, { way, until: isThere }] of Object.entries(views)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    for (const [at, page] of pages.entries()) {
      await page.bringToFront()
      await page.setViewportSize(screens[0])
      await page.goto(`${scene.gateway.consoleUrl}/#/${typeof way === 'string' ? way : way(scene)}`)
      await isThere(page, scene)
      for (const { suffix, ...size } of screens) {
        await page.setViewportSize(size)
        await page.evaluate(() => scrollTo(0, 0))
        // Waits for late content: counters beside the views, the title, and charts of another width.
        await page.waitForTimeout(1_200)
        save(`${name}-${themes[at]}${suffix}.png`, await page.screenshot({ animations: 'disabled', caret: 'hide' }))
      }
    }
  }
}

function save(name, picture) {
  const file = join(folder, name)
  writeFileSync(file, picture)
  const { size } = statSync(file)
  console.log(`${relative(process.cwd(), file)}  ${Math.ceil(size / 1_024)} KB`)
  if (size > mostBytes) throw new Error(`${name} is larger than ${mostBytes / 1_024} KB`)
}

const place = mkdtempSync(join(tmpdir(), 'toolwire-'))
mkdirSync(folder, { recursive: true })
// The gateway has run for an hour, and has already seen the definitions of its servers.
behindMs = 60 * minuteMs
await (await start(place, false)).close({ drainMs: 0 })
const gateway = await start(place, true)
const browser = await chromium.launch({
  executablePath: process.env.TOOLWIRE_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage'],
})
try {
  const names = ['chat', 'editor', 'nightly-report']
  const people = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await callerNamed(gateway, name)])))
  await anHour(people)
  longCalls(people)
  const asked = await decisions(gateway, people)
  const order = asked.find(({ tool }) => tool.name === 'shop__order').id
  await takePictures(browser, { gateway, people, order })
} finally {
  await browser.close()
  await gateway.close({ drainMs: 0 })
  rmSync(place, { recursive: true, force: true })
}
// The callers' connections are still open.
process.exit()
