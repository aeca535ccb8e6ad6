// The bare control over HTTP: one undici request, one parse, no checks.
import { Pool } from 'undici'
import { add, messageText, modernHeaders } from '../wire.js'
import { callerArguments, checkSum, takeTurns } from './turns.js'

const url = new URL(callerArguments.target)
const pool = new Pool(url.origin, { connections: 64 })
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...modernHeaders(add) }
const message = messageText(add, '2026-07-28')
let id = 0

await takeTurns(async () => {
  id += 1
  const { body } = await pool.request({ path: url.pathname, method: 'POST', headers, body: message(id) })
  const answer = JSON.parse(await body.text())
  checkSum(answer.result.structuredContent.sum)
}, callerArguments.inFlight)
