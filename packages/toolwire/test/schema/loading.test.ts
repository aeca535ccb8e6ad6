import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

async function loaded(file: string): Promise<{ inputs: string[]; imports: string[] }> {
  const entry = join(import.meta.dirname, '../../src/schema', file)
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
  })
  const outputs = Object.values(metafile.outputs)
  return { inputs: Object.keys(metafile.inputs), imports: outputs.flatMap(({ imports }) => imports.map(({ path }) => path)) }
}

describe('the modules of an entry', () => {
  it.each([
    'validator.ts',
    'json-schema.ts',
    'compile-schema.ts',
    'index.ts',
  ])('of %s use only the language, and no platform API', async (file) => {
    const { inputs, imports } = await loaded(file)
    expect(inputs.filter((path) => path.includes('node_modules'))).toEqual([])
    expect(imports).toEqual([])
  })
})
