// The edited text of the rules. It outlives the view, so that a visit to another view does not lose it.
import { signal } from '@preact/signals'
import type { Policy } from '../../api/types.js'

export type Draft = {
  /** What was in the file when the changes began, and which version that was. */
  readonly base: string
  readonly version: string
  readonly text: string
}

export const draft = signal<Draft | undefined>(undefined)

export const draftOf = ({ text, version }: Pick<Policy, 'text' | 'version'>): Draft => ({ base: text, version, text })

/** Puts another one in its place; without one the text is that of the file. */
export function keepDraft(next: Draft | undefined): void {
  draft.value = next
}

export const isChanged = (one: Draft | undefined): boolean => one !== undefined && one.text !== one.base

/** Whether the file is not what the changes began with. */
export const isChangedOnDisk = (one: Draft, file: Pick<Policy, 'text'>): boolean => one.base !== file.text

/** Without changes of its own it follows the file; what is saved is no change any more. */
export function draftFollowing(one: Draft | undefined, file: Pick<Policy, 'text' | 'version'>): Draft {
  return one === undefined || !isChanged(one) || one.text === file.text ? draftOf(file) : one
}

/** The same changes, meant for the file as it is now. */
export const draftOnto = (one: Draft, file: Pick<Policy, 'text' | 'version'>): Draft => ({ ...draftOf(file), text: one.text })
