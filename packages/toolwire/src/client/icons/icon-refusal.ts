/** An icon is not to be shown; the message says why. */
export class IconRefusal extends Error {
  override name = 'IconRefusal'
}
