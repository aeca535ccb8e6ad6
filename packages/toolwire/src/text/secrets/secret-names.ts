// Names whose values are secrets. Views and logs hide more of them than results do, because hiding costs them less.

/** Source of a regular expression. No page, count or cursor has one of these names. */
export const secretWords =
  'passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key|(?:access|auth|refresh|bot)[_-]?token|(?:encryption|private)[_-]?key'

const ending = new RegExp(`(?:${secretWords})(?:[_-]?(?:key|token|value))?$`, 'i')
const hiddenInViews = /^(?:token|authorization|cookie|bearer|pwd|credentials?)$|[_-](?:pwd|credentials?)$/i
const hiddenInLogs = new RegExp(`${secretWords}|token|authorization|credential|cookie`, 'i')

/** True for a name such as password, whose value not even a result may show. */
export const isSecretName = (name: string): boolean => name.length <= 64 && ending.test(name)

/** Like `isSecretName`, with more names: a view of arguments loses little by hiding them. */
export const isHiddenInViews = (name: string): boolean => isSecretName(name) || hiddenInViews.test(name)

/** Like `isSecretName`, with the most names: a log for the client does not need their values. */
export const isHiddenInLogs = (name: string): boolean => hiddenInLogs.test(name)
