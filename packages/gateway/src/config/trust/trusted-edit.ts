// What the gateway itself writes into a config is accepted by that act, where everything that stood there before was.
import { realpath } from 'node:fs/promises'
import { ConfigError } from '../config-error.js'
import { type LoadOptions, loadConfig } from '../load-config.js'
import { acceptParts } from './accepted-parts.js'
import type { UntrustedPart } from './untrusted-parts.js'

type Texts = { readonly path: string; readonly before: string | undefined; readonly text: string }

/** Gives what remembers the new text as accepted, once it has been written; nothing is, where something waited before. */
export async function trustedEdit({ path, before = '', text }: Texts, load: LoadOptions): Promise<() => Promise<void>> {
  const where: LoadOptions = { ...load, path, asFound: true, missing: 'keep' }
  if (!(await isTrusted(before, where))) return async () => undefined
  return async () => {
    const { parts, store } = await partsIn(text, where)
    if (store !== undefined) await acceptParts(store, parts)
  }
}

async function isTrusted(text: string, where: LoadOptions): Promise<boolean> {
  if (text.trim() === '') return true
  try {
    return (await partsIn(text, where)).isTrusted
  } catch (thrown) {
    if (thrown instanceof ConfigError) return false
    throw thrown
  }
}

/** Of the file itself; what it brings in is accepted, or not, by itself. */
async function partsIn(text: string, where: LoadOptions & { readonly path?: string | undefined }) {
  const { path = '' } = where
  const file = await realpath(path).catch(() => path)
  let parts: readonly UntrustedPart[] = []
  const onParts = (all: readonly UntrustedPart[]) => {
    parts = all.filter((part) => part.file === file && part.kind !== 'variables')
  }
  const { trust } = await loadConfig({ ...where, text, onParts })
  return { parts, store: trust?.store, isTrusted: !trust?.waiting.some((part) => part.file === file) }
}
