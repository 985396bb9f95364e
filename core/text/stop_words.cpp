#include "core/text/stop_words.h"

#include <unicode/uchar.h>

#include "core/base/utf8.h"

namespace headscope {
namespace {

constexpr std::string_view kEnglish = R"(a
about
above
after
again
against
all
also
am
an
and
any
are
as
at
be
because
been
before
being
below
between
both
but
by
can
could
did
do
does
doing
down
during
each
few
for
from
further
had
has
have
having
he
her
here
hers
herself
him
himself
his
how
i
if
in
into
is
it
its
itself
just
me
more
most
my
myself
no
nor
not
now
of
off
on
once
only
or
other
our
ours
out
over
own
same
she
should
so
some
such
than
that
the
their
theirs
them
themselves
then
there
these
they
this
those
through
to
too
under
until
up
very
was
we
were
what
when
where
which
while
who
whom
whose
why
will
with
would
you
your
yours
yourself
's
't
n't
're
've
'll
'd
'm
)";

// In small letters, character by character; with ' for ’.
std::string Folded(std::string_view word) {
  constexpr char32_t kCurledApostrophe = 0x2019;
  std::string folded;
  for (const auto& [begin, end, code] : Characters(word)) {
    if (code == kBadCharacter) {
      folded += word.substr(begin, end - begin);
    } else if (code == kCurledApostrophe) {
      folded += '\'';
    } else {
      AppendCharacter(
          folded,
          static_cast<char32_t>(u_foldCase(static_cast<UChar32>(code), U_FOLD_CASE_DEFAULT)));
    }
  }
  return folded;
}

}  // namespace

std::string_view EnglishStopWords() {
  return kEnglish;
}

StopWords::StopWords(std::string_view list) {
  const std::string_view words = list.empty() ? kEnglish : list;
  std::size_t first = 0;  // of the word under way
  const auto end_at = [&](std::size_t end) {
    if (end > first) {
      words_.insert(Folded(words.substr(first, end - first)));
    }
  };
  for (const auto& [begin, end, code] : Characters(words)) {
    if (IsWhitespace(code) || code == U',') {
      end_at(begin);
      first = end;
    }
  }
  end_at(words.size());
}

bool StopWords::Has(std::string_view word) const {
  return words_.contains(Folded(word));
}

}  // namespace headscope
