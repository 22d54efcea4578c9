/** All style sheets of the console, in one text: scripts/console.mjs makes it. */
declare module '#style' {
  const text: string
  export default text
}
