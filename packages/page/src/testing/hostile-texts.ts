/** Texts that a server may send where a name, a description or a result should be. Each would do harm, or break the layout, on a page that trusts it. */
export const HOSTILE_TEXTS = {
  script: '<script>globalThis.harmed = "script"</script>',
  handler: '<img src="x" onerror="globalThis.harmed = \'image\'">',
  svg: '<svg onload="globalThis.harmed = \'svg\'"><script>globalThis.harmed = "svg"</script></svg>',
  style: '<style>body { display: none !important }</style><b style="position: fixed; inset: 0">over all</b>',
  link: '[go](javascript:globalThis.harmed="link") <a href="javascript:globalThis.harmed=1">go</a>',
  beacon:
    '![seen](https://beacon.invalid/pixel.png) <img src="https://beacon.invalid/i.png"> <link rel="stylesheet" href="https://beacon.invalid/s.css">',
  frame:
    '<iframe src="https://beacon.invalid/"></iframe><object data="https://beacon.invalid/"></object><base href="https://beacon.invalid/">',
  form: '<form action="https://beacon.invalid/"><input name="token" autofocus><button>Go</button></form>',
  end: '</script></style></textarea></title>--><script>globalThis.harmed = "end"</script>',
  template: '{{constructor.constructor("globalThis.harmed=1")()}}<%= globalThis.harmed = 1 %>',
  reversed: '\u202Eecived ruoy ni tuo\u2066\u200F esrever \u061C',
  long: 'x'.repeat(100_000),
} as const
