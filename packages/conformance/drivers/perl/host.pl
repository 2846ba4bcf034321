# A small host of the CLI: starts it, writes messages, reads frames. One thread; whoever has it selects on its handles.
package Host;
use strict;
use warnings;
use Errno qw(EAGAIN EINTR);
use Fcntl qw(F_GETFD F_SETFD FD_CLOEXEC);
use IO::Handle;
use Encode qw(decode);
use JSON::PP;
use POSIX qw(:sys_wait_h);

my $JSON = JSON::PP->new->utf8->canonical->allow_nonref;
# Frames may have bytes that are no UTF-8: those become U+FFFD.
my $CHARS = JSON::PP->new->allow_nonref;
my @FLAGS = qw(--output-format stream-json --verbose --input-format stream-json);
my $GRACE_S = 5;
my $LAST_WORDS_S = 2;

# cli, cwd, flags; tell: called with what (message, stderr, end, error) and its value.
sub new {
    my ($class, %given) = @_;
    my $self = bless { %given, text => '', errors => '', waiting => 0, inputOver => 0, results => 0, sent => 0 }, $class;
    $self->start;
    return $self;
}

sub start {
    my ($self) = @_;
    pipe(my $in, $self->{stdin}) or die "pipe: $!";
    pipe($self->{stdout}, my $out) or die "pipe: $!";
    pipe($self->{stderr}, my $err) or die "pipe: $!";
    # Closes when the program runs; has the reason when it cannot.
    pipe(my $started, my $failed) or die "pipe: $!";
    my $pid = fork // die "fork: $!";
    if ($pid == 0) {
        chdir $self->{cwd} or do { syswrite $failed, "cwd: $!"; POSIX::_exit(127) };
        POSIX::dup2(fileno $in, 0);
        POSIX::dup2(fileno $out, 1);
        POSIX::dup2(fileno $err, 2);
        { exec { $self->{cli} } $self->{cli}, @FLAGS, @{ $self->{flags} } }
        syswrite $failed, "$!";
        POSIX::_exit(127);
    }
    close $_ for $in, $out, $err, $failed;
    $self->{pid} = $pid;
    my $read = sysread $started, my $why, 1000;
    if ($read) {
        waitpid $pid, 0;
        die { kind => $why =~ /^No such file/ ? 'not_found' : 'launch', message => "$self->{cli}: $why", class => 'LaunchError' };
    }
    $self->{stdin}->blocking(0);
    $self->{outgoing} = '';
}

sub send {
    my ($self, $content, $fields) = @_;
    die { kind => 'closed', message => 'the input is over', class => 'Closed' } unless $self->{stdin};
    $self->{sent}++;
    $self->{inTurn} = 1;
    $self->write({ type => 'user', message => { role => 'user', content => $content }, parent_tool_use_id => undef, %{ $fields // {} } });
}

sub write {
    my ($self, $frame) = @_;
    return unless $self->{stdin};
    $self->{outgoing} .= $JSON->encode($frame) . "\n";
    $self->flush;
}

sub flush {
    my ($self) = @_;
    my $stdin = $self->{stdin} or return;
    while (length $self->{outgoing}) {
        my $count = syswrite $stdin, $self->{outgoing};
        if (!defined $count) {
            return if $! == EAGAIN || $! == EINTR;
            $self->{outgoing} = '';
            close delete $self->{stdin};
            return;
        }
        substr $self->{outgoing}, 0, $count, '';
    }
    close delete $self->{stdin} if $self->{ending};
}

# No more messages will come: stdin ends with the result of the last one.
sub end_input {
    my ($self) = @_;
    $self->{inputOver} = 1;
    $self->close_input unless $self->{inTurn};
}

sub close_input {
    my ($self) = @_;
    $self->{ending} = 1;
    $self->flush;
}

# Ends the session whatever it does.
sub close {
    my ($self) = @_;
    $self->{closed} = 1;
    $self->close_input;
    $self->{killAt} //= time + $GRACE_S;
}

# What the select loop needs.
sub readers { my ($self) = @_; grep { defined } @$self{qw(stdout stderr)} }
sub writers { my ($self) = @_; $self->{stdin} && length $self->{outgoing} ? $self->{stdin} : () }

sub read_from {
    my ($self, $handle) = @_;
    my $isOut = $self->{stdout} && $handle == $self->{stdout};
    my $key = $isOut ? 'text' : 'errors';
    my $count = sysread $handle, $self->{$key}, 65536, length $self->{$key};
    return if !defined $count && ($! == EINTR || $! == EAGAIN);
    my $isEnd = !$count;
    if ($isOut) { $self->lines($isEnd) }
    else { $self->error_lines($isEnd) }
    return unless $isEnd;
    CORE::close delete $self->{ $isOut ? 'stdout' : 'stderr' };
    # Whoever writes no more has nothing to be told.
    $self->close_input if $isOut;
}

sub lines {
    my ($self, $isEnd) = @_;
    # Searched once: a long line comes in many pieces.
    while ((my $at = index $self->{text}, "\n", $self->{seen} // 0) >= 0) {
        my $line = substr $self->{text}, 0, $at + 1, '';
        $self->{seen} = 0;
        $self->frame($line);
    }
    $self->{seen} = length $self->{text};
    if ($isEnd && length $self->{text}) { my $line = $self->{text}; $self->{text} = ''; $self->frame($line) }
}

sub error_lines {
    my ($self, $isEnd) = @_;
    while ($self->{errors} =~ s/^([^\n]*)\n//) { $self->{lastError} = $1; $self->{tell}->(stderr => $1) }
    if ($isEnd && length $self->{errors}) { $self->{lastError} = $self->{errors}; $self->{tell}->(stderr => $self->{errors}) }
}

sub frame {
    my ($self, $line) = @_;
    my $frame = eval { $CHARS->decode(decode('UTF-8', $line)) };
    return unless ref $frame eq 'HASH' && defined $frame->{type};
    return if $frame->{type} =~ /^(control_response|control_cancel_request|keep_alive)$/;
    if ($frame->{type} eq 'control_request') {
        $self->write({ type => 'control_response', response => { subtype => 'error', request_id => $frame->{request_id}, error => 'not supported' } });
        return;
    }
    return if $frame->{sdk_host_only};
    $self->{tell}->(message => $frame);
    if ($frame->{type} eq 'result') {
        $self->{inTurn} = 0;
        $self->{refused} = $frame->{is_error} ? join ', ', @{ $frame->{errors} // [$frame->{result}] } : undef;
        $self->close_input if $self->{inputOver};
    }
}

# Whether the process is over; tells the outcome once.
sub is_over {
    my ($self) = @_;
    return 1 if $self->{over};
    if ($self->{killAt} && !defined $self->{status} && time >= $self->{killAt}) {
        kill $self->{termed} ? 'KILL' : 'TERM', $self->{pid};
        $self->{termed} = 1;
        $self->{killAt} = time + $GRACE_S;
    }
    $self->{killAt} //= time + $GRACE_S unless $self->readers;
    if (!defined $self->{status}) {
        return 0 unless waitpid $self->{pid}, WNOHANG;
        $self->{status} = $?;
        $self->{deafAt} = time + $LAST_WORDS_S;
    }
    # A program that the CLI started may hold its pipes for ever.
    return 0 if $self->readers && time < $self->{deafAt};
    my $status = $self->{status};
    $self->{over} = 1;
    CORE::close $_ for delete @$self{ grep { $self->{$_} } qw(stdout stderr) };
    CORE::close delete $self->{stdin} if $self->{stdin};
    if ($status == 0 || $self->{closed}) { $self->{tell}->(end => undef) }
    else {
        my ($code, $signal) = ($status >> 8, $status & 127);
        my @names = split ' ', $Config::Config{sig_name};
        my $how = $signal ? "was killed by SIG$names[$signal]" : "exited with $code";
        $self->{tell}->(error => {
            kind => 'process_exit', class => 'ExitError',
            message => join(': ', "the CLI $how", grep { defined } $self->{refused} // $self->{lastError}),
            $signal ? (signal => "SIG$names[$signal]") : (exit_code => $code),
        });
    }
    return 1;
}
use Config;
1;
