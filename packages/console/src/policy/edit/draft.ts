// The edited text of the rules. It is kept while the user visits other views.
import { signal } from '@preact/signals'
import type { Policy } from '../../api/types.js'

export type Draft = {
  /** The text and version of the file when editing began. */
  readonly base: string
  readonly version: string
  readonly text: string
}

export const draft = signal<Draft | undefined>(undefined)

export const draftOf = ({ text, version }: Pick<Policy, 'text' | 'version'>): Draft => ({ base: text, version, text })

/** Replaces the draft; without one the text is that of the file. */
export function keepDraft(next: Draft | undefined): void {
  draft.value = next
}

export const isChanged = (one: Draft | undefined): boolean => one !== undefined && one.text !== one.base

/** Has the file changed since editing began? */
export const isChangedOnDisk = (one: Draft, file: Pick<Policy, 'text'>): boolean => one.base !== file.text

/** Follows the file if the draft has no changes, or the file now has the same text. */
export function draftFollowing(one: Draft | undefined, file: Pick<Policy, 'text' | 'version'>): Draft {
  return one === undefined || !isChanged(one) || one.text === file.text ? draftOf(file) : one
}

/** Moves the draft's changes onto the current file. */
export const draftOnto = (one: Draft, file: Pick<Policy, 'text' | 'version'>): Draft => ({ ...draftOf(file), text: one.text })
