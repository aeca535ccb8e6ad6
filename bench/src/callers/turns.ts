// A client that calls in turns: reads a number of milliseconds from stdin, calls for so long, and prints the number of answered calls.
import { createInterface } from 'node:readline'

/** Makes one call; throws if the answer is wrong. */
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
  if (sum !== 42) throw new Error(`20 + 22 was answered with ${JSON.stringify(sum)}`)
}

/** Arguments from the command line: the server, and the number of calls in flight. */
export const callerArguments = { target: String(process.argv[2]), inFlight: Number(process.argv[3]) }
