// Replays the recorded conversations of this folder. `UPDATE=1` records the current messages instead; review the diff.
import { readdirSync, writeFileSync } from 'node:fs'
import { type Json, reportTo } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { judgeFrames } from '../official-schemas.js'
import { Conversation } from './conversation.js'
import { type Line, readScript, type Script, starred } from './script.js'
import { exampleServer } from './server.js'

const folders = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', 'pocket']
// One tool fails on purpose, and its report to the operator is not part of the conversation.
reportTo(() => undefined)

const updating = process.env.UPDATE === '1'

for (const folder of folders) {
  describe(folder, () => {
    const place = new URL(`${folder}/`, import.meta.url)
    const files = readdirSync(place).filter((name) => name.endsWith('.jsonl'))
    for (const script of files.sort().map((name) => readScript(new URL(name, place))))
      it(script.title, () => replay(script, folder))
  })
}

async function replay(script: Script, folder: string): Promise<void> {
  const { pageSize } = script
  const revision = folder === 'pocket' ? '2025-06-18' : folder
  const app = exampleServer({ ...(pageSize && { pageSize }), ...(folder === 'pocket' && { profile: 'pocket' }) })
  const conversation = new Conversation(app, revision)
  if (!opensItself(script)) await conversation.open()
  await (updating ? write(script, conversation) : check(script, conversation))
  conversation.close()
  const complaints = judgeFrames(revision, conversation.frames)
  expect(complaints.filter((complaint) => !script.mistaken || complaint.startsWith('server'))).toEqual([])
}

/** Conversations about the handshake send their own first messages. */
function opensItself({ lines }: Script): boolean {
  const first = lines.find(({ kind }) => kind !== '#')
  return first?.kind === '>>' || first?.text.includes('"initialize"') === true
}

function send(conversation: Conversation, { kind, text }: Line): void {
  if (kind === '>') conversation.send(JSON.parse(text))
  if (kind === '>>') conversation.sendRaw(text)
}

async function check({ lines }: Script, conversation: Conversation): Promise<void> {
  let expected = 0
  for (const line of lines) {
    if (line.kind !== '<') {
      send(conversation, line)
      continue
    }
    await conversation.waitForMessages(++expected)
    const came = conversation.received[expected - 1]
    const wanted = JSON.parse(line.text) as Json
    expect(came === undefined ? 'nothing came' : starred(wanted, came)).toEqual(wanted)
  }
  await conversation.waitUntilQuiet(1)
  expect(conversation.received.slice(expected), 'said without being expected').toEqual([])
}

async function write({ file, title, lines }: Script, conversation: Conversation): Promise<void> {
  const written: string[] = []
  const expected = lines.flatMap(({ kind, text }) => (kind === '<' ? [JSON.parse(text) as Json] : []))
  for (const line of lines.filter(({ kind }) => kind !== '<')) {
    written.push(`${line.kind} ${line.text}`)
    if (line.kind === '#') continue
    const before = conversation.received.length
    send(conversation, line)
    await conversation.waitUntilQuiet(40)
    written.push(
      ...conversation.received.slice(before).map((came, at) => `< ${JSON.stringify(starred(expected[before + at], came))}`),
    )
  }
  const known = new Set(lines.map(({ kind, text }) => `${kind} ${text}`))
  for (const line of written.filter((one) => !known.has(one))) console.info(`${title}\n+ ${line}`)
  writeFileSync(file, `${written.join('\n')}\n`)
}
