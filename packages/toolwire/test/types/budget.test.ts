import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const place = join(root, 'node_modules/.cache/type-budget')
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
const count = 120
const budget = 250_000

const upTo = (line: (n: number) => string) => Array.from({ length: count }, (_, n) => line(n)).join('\n')

/** A large server, and a client that calls every tool. */
const program = `
import { server, tool } from 'toolwire'
import type { Client } from 'toolwire/client'
import { z } from 'zod'
${upTo(
  (n) => `const tool${n} = tool({
  description: 'Number ${n}',
  input: z.object({ query: z.string(), limit: z.number().int().default(${n + 1}), tags: z.array(z.string()).optional() }),
  output: z.object({ hits${n}: z.array(z.object({ id: z.string(), score: z.number() })), kind: z.enum(['some', 'none']) }),
  run: async ({ query, limit }) => ({ hits${n}: [{ id: query, score: limit }], kind: 'some' }),
})`,
)}
export const app = server({ name: 'budget', version: '1.0.0', tools: {
${upTo((n) => `  tool${n},`)}
} })
declare const shop: Client<typeof app>
${upTo((n) => `export const score${n}: Promise<number> = shop.tools.tool${n}({ query: 'mug' }).then((found) => found.hits${n}[0]!.score)`)}
`

const project = {
  extends: join(root, 'tsconfig.json'),
  include: ['program.ts'],
}

async function instantiations(): Promise<number> {
  await mkdir(place, { recursive: true })
  await writeFile(join(place, 'program.ts'), program)
  await writeFile(join(place, 'tsconfig.json'), JSON.stringify(project))
  const args = [compiler, '--noEmit', '--extendedDiagnostics', '--singleThreaded', '-p', place]
  // The compiler ends before garbage collection would pay off.
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, GOGC: 'off' } }).catch(
    (failed) => {
      throw new Error(`The program does not compile:\n${failed.stdout}`)
    },
  )
  return Number(/Instantiations:\s+(\d+)/.exec(stdout)?.[1])
}

it(`${count} tools and ${count} typed calls stay within ${budget} type instantiations`, async () => {
  const spent = await instantiations()
  console.info(`types: ${spent} instantiations for ${count} tools and ${count} typed calls`)
  expect(spent).toBeLessThanOrEqual(budget)
})
