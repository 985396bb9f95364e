// What a figure says of what was run: the same words in the window and on the command line.
//
// Threads  any; plain values.
#pragma once

#include <string>

#include "core/attention/attention_file.h"
#include "core/figure/figure_context.h"
#include "core/text/tokenizer.h"
#include "core/worker/model_input.h"

namespace headscope {

// Names, tokens and what has to be said of attention made elsewhere.
void DescribeGiven(const AttentionFile& file, FigureContext* context);

// What was run, for a context: the text as given, its tokens, and whether it was cut.
void DescribeInput(const InputText& input, const Encoding& encoding, FigureContext* context);

// What the decoder read, for a context: `generated` is the text of a target that nobody gave.
void DescribeTarget(const InputText& input,
                    const Encoding& target,
                    const std::string& generated,
                    FigureContext* context);

}  // namespace headscope
