// Watching for pending calls over any length of time.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningGateway, runningGateway } from '../support/cli-gateway.js'
import { commandHere } from '../support/command-here.js'
import { inTerminal, keys } from '../support/pseudo-terminal.js'
import { program } from '../support/run-program.js'

const collecting = fileURLToPath(new URL('./collect-garbage.mjs', import.meta.url))
const whileCollecting = (env: NodeJS.ProcessEnv) => ({ ...env, NODE_OPTIONS: `--import ${collecting}` })
const write = ['call', 'strange__write', 'text=a', 'times=1', 'loud=true', 'where=here', '--yes']

let gateway: RunningGateway
beforeAll(async () => {
  gateway = await runningGateway()
})
afterAll(() => gateway.stop())

describe('the first Ctrl-C, however much garbage was collected before', () => {
  it('ends a watch without events', async () => {
    const screen = inTerminal(['watch'], { env: whileCollecting(gateway.env) })
    await screen.shows('garbage was collected')
    screen.type(keys.interrupt)
    expect(await screen.ended).toBe(0)
  })

  it('ends a watch with an open question, whose call stays pending', async () => {
    const screen = inTerminal(['watch'], { env: whileCollecting(gateway.env) })
    const call = commandHere(write, { env: gateway.env })
    await screen.shows('yes approves it once')
    await screen.shows('garbage was collected')
    screen.type(keys.interrupt)
    expect(await screen.ended).toBe(0)
    const { stdout } = await commandHere(['pending', '--json'], { env: gateway.env })
    const [{ id }] = JSON.parse(stdout).approvals
    await commandHere(['deny', id], { env: gateway.env })
    expect((await call).code).not.toBe(0)
  })

  it.each([
    ['watch', '--json'],
    ['audit', '--follow'],
  ])('ends %s %s', async (...words) => {
    const child = spawn(process.execPath, [program, ...words], {
      env: whileCollecting(gateway.env),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await once(child.stderr, 'data')
    child.kill('SIGINT')
    const [code] = await once(child, 'exit')
    expect([0, 130]).toContain(code)
  })

  it('a watch shows new calls, and removes a call that was decided elsewhere', async () => {
    const screen = inTerminal(['watch'], { env: whileCollecting(gateway.env) })
    await screen.shows('garbage was collected')
    const call = commandHere(write, { env: gateway.env })
    await screen.shows('yes approves it once')
    const { stdout } = await commandHere(['pending', '--json'], { env: gateway.env })
    await commandHere(['approve', JSON.parse(stdout).approvals[0].id], { env: gateway.env })
    await screen.shows('It is no longer pending')
    expect((await call).code).toBe(0)
    screen.type(keys.interrupt)
    expect(await screen.ended).toBe(0)
  })
})
