// Serves the example of orders.ts on a port; the person at this terminal decides about approvals.
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { apiKeys, memoryApiKeys } from 'toolwire/auth'
import { type ApprovalAnswer, type ApprovalRequest, auditTo, verifyAudit } from 'toolwire/guard'
import { listen } from 'toolwire/node'
import { callers, ordersServer } from './orders.js'

export async function run(): Promise<void> {
  const file = process.env.AUDIT ?? 'audit.ndjson'
  const before = existsSync(file) ? await verifyAudit(createReadStream(file)) : undefined
  if (before?.ok === false) throw new Error(`${file} is not as it was written: line ${before.line}: ${before.why}`)
  const log = auditTo(createWriteStream(file, { flags: 'a' }), { head: before?.head })
  const { app } = ordersServer({ log, ask: askHere })
  const { keys, records } = await callers()
  const { url } = await listen(app, {
    port: Number(process.env.PORT ?? 3000),
    authenticate: apiKeys({ store: memoryApiKeys(records) }),
  })
  console.error(`Orders are served at ${url}, and every call is recorded in ${file}. Keys, good until this ends:`)
  for (const [name, key] of Object.entries(keys)) console.error(`  ${name.padEnd(5)} ${key}`)
}

let turn: Promise<unknown> = Promise.resolve()

/** Asks one question at a time; only a typed yes allows a call. */
function askHere(request: ApprovalRequest): Promise<ApprovalAnswer> {
  const answer = turn.then(() => (request.signal.aborted ? 'deny' : putOnTerminal(request)))
  turn = answer.catch(() => undefined)
  return answer
}

async function putOnTerminal({ caller, tool, display, signal }: ApprovalRequest): Promise<ApprovalAnswer> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const said = await terminal.question(`\n${caller} wants to call ${tool.name} with\n${display}\nType yes to allow it: `, {
      signal,
    })
    return said.trim() === 'yes' ? 'allow' : { deny: 'the person at the terminal said no' }
  } finally {
    terminal.close()
  }
}
