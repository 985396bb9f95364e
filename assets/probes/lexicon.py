"""Words that make_probes.py knows: what a plain word is without its relation being said. Everything else is a noun below a noun's
relation and a verb below a clause's; a word may always say its own class, as in watch/VERB."""

NAMES = set("""Mary John Peter George Richard Sam Ben Emily Isabel Elizabeth Anna Tom Rob Nora Captain Madame Lady Reed Hall Brook
England London France Monday Sunday Friday May""".split())
PRONOUNS = set("""i you he she it we they me him her us them who whom which what that this these those there himself herself
itself themselves myself nothing something everything anything everyone nobody somebody someone others mine yours hers ours theirs
none""".split())
RELATIVE = set("who whom which that what".split())
POSSESSIVES = set("my your his her its our their whose".split())
DETERMINERS = set("the a an this these those every each no some any both another all what which".split())
CONJUNCTIONS = set("and but or nor".split())
NUMBERS = set("""one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty hundred
thousand""".split())
LINKS = set("""of in on at by for with from to into under over near behind before after until since between across through along
around above below beside against without within about toward towards during past like as than off inside outside among beyond
because while if although though whether unless down up upon onto""".split())
# Of them, those that stand before a clause whatever its predicate is.
CLAUSE_LINKS = set("because while if although though whether unless until since as before after than that to".split())
BE = set("am is are was were be been being".split())
AUXILIARIES = BE | set("have has had having do does did will would shall should can could may might must ca".split())
ADVERBS = set("""not n't never always often soon again still now then here there very too also only just almost already slowly
quickly quietly suddenly carefully early late later well away back down up out off in far together once twice even perhaps
really quite rather so more most less how when where why yesterday today tonight tomorrow home hard fast
high low gently softly loudly nearly usually sometimes seldom hardly however therefore first finally long ago
outside inside everywhere nowhere somewhere alone enough straight forward badly easily
gladly kindly sadly safely indeed instead instantly clearly slightly better best yet aloud ever together surely certainly entirely completely barely truly simply recently daily deeply warmly bravely much far south north""".split())
ADJECTIVES = set("""old young new small little large big great long short high low tall deep dark bright black white red blue green
yellow brown gray grey cold warm hot cool dry wet clean dirty fresh heavy light thin thick wide narrow empty full open shut
closed quiet loud silent soft hard strong weak poor rich kind wise good bad better best worse early late first second third last
next other same own true false clear plain simple common strange sweet bitter happy sad angry glad proud afraid tired sick
ill well blind lame lonely alone asleep awake alive dead ready sure certain able safe free busy lost broken wooden golden
round flat sharp smooth rough steep pale beautiful pretty fine fair rare certain important difficult easy
possible impossible ready late slow quick fast hungry thirsty young careful careless honest faithful gentle brave calm wild
foreign distant near far entire whole half several many few much more most single only main usual
terrible wonderful familiar pleasant bare torn worn frozen painted wounded stolen hidden tied busy older younger taller
stronger colder warmer smaller larger deeper darker brighter quieter richer poorer higher lower longer shorter faster oldest
youngest tallest largest smallest strongest deepest longest brightest whole sure worth cheap dusty narrow broad heavy sandy stormy muddy crowded ancient secret honest useful costly loaded missing gone burned foolish rude curious elder eldest upper favorite noisy dear finest closest poorest inner usual lazy funny nervous sleepy holy royal rusty leaky sunny windy golden weary stubborn lowest left right highest sour dangerous damp""".split())
