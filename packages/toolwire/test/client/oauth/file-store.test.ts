import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fileStore } from '../../../src/client/oauth/index.js'
import { call } from './call.js'
import { person, setting } from './setting.js'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oauth-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Bundles a source file as a program, and returns the path. */
async function bundled(source: string, to: string): Promise<string> {
  const outfile = join(to, 'program', 'bundle.mjs')
  await build({ entryPoints: [source], bundle: true, outfile, format: 'esm', platform: 'node', target: 'node20' })
  return outfile
}

describe('the file store', () => {
  it('AUTHC-024 is readable only for its owner', async () => {
    await using at = await setting()
    const path = join(folder, 'deep', 'tokens.json')
    await call(person({ store: fileStore(path) }), at.server.url)
    expect(await readFile(path, 'utf8')).toContain('access-')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, 'deep'))).mode & 0o777).toBe(0o700)
  })

  it('AUTHC-024 restricts the permissions of an open file', async () => {
    const path = join(folder, 'tokens.json')
    await writeFile(path, '{}', { mode: 0o644 })
    await fileStore(path).set('a', 'b')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it('keeps tokens for the next process', async () => {
    await using at = await setting()
    const path = join(folder, 'tokens.json')
    await call(person({ store: fileStore(path) }), at.server.url)
    expect(await call(person({ store: fileStore(path) }), at.server.url, { tries: 0 })).toBe(200)
    expect(at.as.authorizations()).toHaveLength(1)
  })

  it('loses no concurrent writes, and leaves no temporary files', async () => {
    const store = fileStore(join(folder, 'tokens.json'))
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`)
    await Promise.all([...keys, '__proto__', 'constructor'].map((key) => store.set(key, `value of ${key}`)))
    await store.delete('key 0')
    expect(await store.get('key 0')).toBeUndefined()
    expect(await store.get('toString')).toBeUndefined()
    for (const key of [...keys.slice(1), '__proto__', 'constructor']) expect(await store.get(key)).toBe(`value of ${key}`)
    expect(await readdir(folder)).toEqual(['tokens.json'])
  })

  it('loses no writes of concurrent stores and processes', async () => {
    const path = join(folder, 'tokens.json')
    const program = await bundled(
      fileURLToPath(new URL('../../../src/client/oauth/tokens/file-store.ts', import.meta.url)),
      folder,
    )
    const writer = `
      const { fileStore } = await import(${JSON.stringify(pathToFileURL(program).href)})
      const [path, name] = process.argv.slice(1)
      for (let count = 0; count < 10; count++) await fileStore(path).set(name + count, name)`
    const processes = ['one', 'two'].map((name) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', writer, path, name]),
    )
    const numbers = Array.from({ length: 10 }, (_, count) => count)
    await Promise.all([...processes, ...numbers.map((count) => fileStore(path).set(`here${count}`, 'here'))])
    const kept = JSON.parse(await readFile(path, 'utf8'))
    const expected = ['one', 'two', 'here'].flatMap((name) => numbers.map((count) => [`${name}${count}`, name]))
    expect(kept).toEqual(Object.fromEntries(expected))
  })

  it('does not wait for a lock of a dead process', async () => {
    const path = join(folder, 'tokens.json')
    await writeFile(`${path}.lock`, '')
    const longAgo = new Date(Date.now() - 11_000)
    await utimes(`${path}.lock`, longAgo, longAgo)
    await fileStore(path).set('a', 'b')
    expect(await readdir(folder)).toEqual(['tokens.json'])
  })

  it('does not overwrite a file that it cannot read', async () => {
    const path = join(folder, 'tokens.json')
    await writeFile(path, 'my diary')
    const store = fileStore(path)
    await expect(store.set('a', 'b')).rejects.toMatchObject({ code: 'bad_options' })
    expect(await readFile(path, 'utf8')).toBe('my diary')
    await writeFile(path, '{}')
    await store.set('a', 'b')
    expect(await store.get('a')).toBe('b')
  })
})
