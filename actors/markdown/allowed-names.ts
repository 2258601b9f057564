/** Names that rendered messages have. Source: style sheets of KaTeX and Pygments, and Zulip's messages. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Classes of messages, but for those of code and formulas. */
export const messageClasses = words(
  `alert-word channel-wildcard-mention codehilite data-container emoji embed-video highlight image-loading-placeholder
  inline-image inline-preview-twitter media-audio-element media-image-element media-video-element message-link
  message_embed message_embed_description message_embed_image message_embed_title message_inline_animated_image_still
  message_inline_image message_inline_ref message_inline_video silent spoiler-block spoiler-content spoiler-header
  stream stream-topic tex-error timestamp timestamp-error topic-mention twitter-avatar twitter-image twitter-tweet
  user-group-mention user-mention vimeo-video youtube-video`,
);

/** Kinds of tokens in code. */
export const pygmentsClasses = words(
  `hll bp c c1 ch cm cp cpf cs dl err esc fm g gd ge ges gh gi gl go gp gr gs gt gu il k kc kd kn kp kr kt l ld m mb mf mh
  mi mo n na nb nc nd ne nf ni nl nn no nt nv nx o ow p pm py s s1 s2 sa sb sc sd se sh si sr ss sx vc vg vi vm w x`,
);

/** Parts of a formula. */
export const katexClasses = words(
  `accent accent-body accent-full accentunder amsrm angl anglpad arraycolsep base boldsymbol boxpad brace-center
  brace-left brace-right brahmic_fallback c cancel-lap cancel-pad cd-arrow-pad cd-label-left cd-label-right cd-vert-arrow
  cjk_fallback clap col-align-c col-align-l col-align-r cyrillic_fallback delim-size1 delim-size4 delimcenter delimsizing
  delimsizinginner eqn-num fbox fcolorbox fix fleqn fontsize-ensurer frac-line georgian_fallback halfarrow-left
  halfarrow-right hangul_fallback hbox hdashline hide-tail hline inner katex katex-display katex-error katex-html
  katex-mathml large-op leftmost leqno llap mainrm mathbb mathbf mathboldfrak mathboldsf mathcal mathfrak mathit mathitsf
  mathnormal mathrm mathscr mathsf mathsfit mathtt mbin mclose mfrac minner mml-eqn-num mop mopen mord mover mpunct mrel
  mspace msupsub mtable mtight mtr-glue mult munder newline nobreak nulldelimiter op-limits op-symbol overlay overline
  overline-line pstrut reset-size1 reset-size10 reset-size11 reset-size2 reset-size3 reset-size4 reset-size5 reset-size6
  reset-size7 reset-size8 reset-size9 rightmost rlap root rule size1 size10 size11 size2 size3 size4 size5 size6 size7
  size8 size9 sizing small-op smash sout sqrt stretchy strut svg-align tag text textbb textbf textboldfrak textboldsf
  textfrak textit textitsf textrm textscr textsf texttt thinbox underline underline-line vbox vcenter vertical-separator
  vlist vlist-r vlist-s vlist-t vlist-t2 x-arrow x-arrow-pad`,
);

export const mathElements = words(
  `math semantics mrow mi mo mn ms mtext mspace msup msub msubsup mfrac msqrt mroot mover munder munderover mstyle mtable
  mtr mtd mlabeledtr mpadded menclose mphantom merror annotation`,
);
