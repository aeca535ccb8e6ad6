/** Optional packages are found from the folder of the gateway, and not from the folder in which it is started. */
export const installHint = (name: string): string =>
  `Install it where the gateway is installed, such as npm i -g ${name} for a global installation`
