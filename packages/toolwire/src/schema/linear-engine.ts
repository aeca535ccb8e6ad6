import type { RE2JS } from 're2js'

export type LinearEngine = typeof RE2JS

let engine: LinearEngine | undefined

/** Makes the engine known to schemas of our own, which do without it as long as they can. */
export function provide(loaded: LinearEngine): LinearEngine {
  engine = loaded
  return loaded
}

/** The engine, loaded now if this runtime can do so on the spot; it costs more to load than all the rest together. */
export function linearEngine(): LinearEngine | undefined {
  engine ??= loadHere()
  return engine
}

function loadHere(): LinearEngine | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => { createRequire(from: string): (name: string) => { RE2JS: LinearEngine } } }
  } // Node, Deno and Bun have it
  return process?.getBuiltinModule?.('node:module').createRequire(import.meta.url)('re2js').RE2JS
}
