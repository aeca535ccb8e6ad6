// A client that takes turns: told on stdin for how many milliseconds to call, it says on stdout how many calls were answered.
import { createInterface } from 'node:readline'

/** Calls once and throws when the answer is not the right one. */
export type CallOnce = () => Promise<void>

export async function takeTurns(call: CallOnce, inFlight: number): Promise<void> {
  await call()
  console.log('READY')
  for await (const line of createInterface({ input: process.stdin }))
    console.log(`DONE ${await turn(call, inFlight, Number(line))}`)
  process.exit(0)
}

async function turn(call: CallOnce, inFlight: number, milliseconds: number): Promise<number> {
  const until = performance.now() + milliseconds
  const counts = await Promise.all(Array.from({ length: inFlight }, () => callUntil(call, until)))
  return counts.reduce((sum, count) => sum + count, 0)
}

async function callUntil(call: CallOnce, until: number): Promise<number> {
  for (let count = 1; ; count += 1) {
    await call()
    if (performance.now() >= until) return count
  }
}

export function checkSum(sum: unknown): void {
  if (sum !== 42) throw new Error(`20 and 22 came to ${JSON.stringify(sum)}`)
}

/** What the table said on the command line: where the server is, and how many calls to have in flight. */
export const asked = { where: String(process.argv[2]), inFlight: Number(process.argv[3]) }
