// Names under which a value is a secret. How much is hidden depends on what is lost by it.

/** In an expression: no page, count or cursor is called so. */
export const secretWords =
  'passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key|(?:access|auth|refresh|bot)[_-]?token|(?:encryption|private)[_-]?key'

const ending = new RegExp(`(?:${secretWords})(?:[_-]?(?:key|token|value))?$`, 'i')
const shownElsewhere = /^(?:token|authorization|cookie|bearer|pwd|credentials?)$|[_-](?:pwd|credentials?)$/i
const anywhere = new RegExp(`${secretWords}|token|authorization|credential|cookie`, 'i')

/** A name such as password, under which a value is not to be told, not even by a result. */
export const isSecretName = (name: string): boolean => name.length <= 64 && ending.test(name)

/** The same for a view of arguments, which loses little by it. */
export const isHiddenInViews = (name: string): boolean => isSecretName(name) || shownElsewhere.test(name)

/** The same for a log that goes to the client, where nothing has to be told. */
export const isHiddenInLogs = (name: string): boolean => anywhere.test(name)
