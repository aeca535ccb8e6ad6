// Changes that the gateway itself writes to a config count as accepted, if the whole old content was trusted.
import { ifConfigError } from '../config-error.js'
import { type FileContent, replaceWithBackup } from '../editing/replace-file.js'
import { type LoadOptions, loadConfig } from '../load-config.js'
import { acceptedFileOf, acceptParts } from './accepted-parts.js'
import type { UntrustedPart } from './untrusted-parts.js'

type Texts = { readonly path: string; readonly before: FileContent; readonly text: string }

/** Replaces the old text with the new one, and returns the path of the backup. */
export async function writeTrusted({ path, before, text }: Texts, load: LoadOptions): Promise<string | undefined> {
  const where = { ...load, path, asFound: true, missing: 'keep' } as const
  const old = before?.trim() ? await partsIn(before, where).catch(ifConfigError(() => ({ isTrusted: false }))) : undefined
  const wasTrusted = old?.isTrusted ?? true
  const { parts, store } = wasTrusted ? await partsIn(text, where) : {}
  // Acceptance comes first: if it fails, nothing is written, and if the file cannot be written, only unused acceptance remains.
  if (parts && store !== undefined) await acceptParts(store, parts)
  return replaceWithBackup(path, before, text)
}

/** The parts of the file itself; files that it refers to are accepted separately. */
async function partsIn(text: string, where: LoadOptions & { readonly path: string }) {
  const file = await acceptedFileOf(where.path)
  let parts: readonly UntrustedPart[] = []
  const onParts = (all: readonly UntrustedPart[]) => {
    parts = all.filter((part) => part.file === file && (part.kind === 'settings' || part.kind === 'server'))
  }
  const { trust } = await loadConfig({ ...where, text, onParts })
  return { parts, store: trust?.store, isTrusted: !trust?.waiting.some((part) => part.file === file) }
}
