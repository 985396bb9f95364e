// The words in which a figure describes a run: the same words in the window and on the command
// line.
#pragma once

#include <string>

#include "core/attention/attention_file.h"
#include "core/figure/figure_context.h"
#include "core/text/tokenizer.h"
#include "core/worker/model_input.h"

namespace headscope {

// Adds the names, tokens and remarks for attention from a file.
void DescribeGiven(const AttentionFile& file, FigureContext* context);

// Adds what was run: the text as given, its tokens, and whether it was shortened.
void DescribeInput(const InputText& input, const Encoding& encoding, FigureContext* context);

// Adds what the decoder read: `generated` is the text of a target that was generated.
void DescribeTarget(const InputText& input,
                    const Encoding& target,
                    const std::string& generated,
                    FigureContext* context);

}  // namespace headscope
